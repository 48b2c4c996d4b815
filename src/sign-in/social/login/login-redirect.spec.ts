import { AppError } from '../../../kernel/errors/app-error.js';
import { type LoginPage, pageOf, refused } from './login-redirect.js';
import '../social.errors.js';

describe('where a refused login ends', () => {
  const location = (carrier: string | null, linkSessionId: string | null): string =>
    refused(new AppError('provider_denied'), { page: pageOf({ carrier, linkSessionId }), language: null }).location;

  it('is the page on which it began, with the error value and nothing else', () => {
    expect(location(null, null)).toBe('/dash/login#error=provider_denied');
    expect(location(null, 'session')).toBe('/dash/account#error=provider_denied');
    expect(location('a&b#c', null)).toBe('/dash/login?cli=a%26b%23c#error=provider_denied');
  });

  it('speaks the language of the page on which it began', () => {
    const refusal = new AppError('provider_denied');
    const at = (page: LoginPage): string => refused(refusal, { page, language: 'de' }).location;
    expect(at('sign-in')).toBe('/dash/login?lang=de#error=provider_denied');
    expect(at('account')).toBe('/dash/account?lang=de#error=provider_denied');
    expect(at({ carrier: 'a.b' })).toBe('/dash/login?cli=a.b&lang=de#error=provider_denied');
  });
});
