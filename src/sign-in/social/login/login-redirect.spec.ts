import { AppError } from '../../../kernel/errors/app-error.js';
import { type LoginPage, pageOf, redirectWithError } from './login-redirect.js';
import '../social.errors.js';

describe('the target of a rejected sign-in', () => {
  const location = (carrier: string | null, linkSessionId: string | null): string =>
    redirectWithError(new AppError('provider_denied'), { page: pageOf({ carrier, linkSessionId }), language: null })
      .location;

  it('is the page on which it started, with the error code only', () => {
    expect(location(null, null)).toBe('/dash/login#error=provider_denied');
    expect(location(null, 'session')).toBe('/dash/account#error=provider_denied');
    expect(location('a&b#c', null)).toBe('/dash/login?cli=a%26b%23c#error=provider_denied');
  });

  it('has the language of that page', () => {
    const refusal = new AppError('provider_denied');
    const at = (page: LoginPage): string => redirectWithError(refusal, { page, language: 'de' }).location;
    expect(at('sign-in')).toBe('/dash/login?lang=de#error=provider_denied');
    expect(at('account')).toBe('/dash/account?lang=de#error=provider_denied');
    expect(at({ carrier: 'a.b' })).toBe('/dash/login?cli=a.b&lang=de#error=provider_denied');
  });
});
