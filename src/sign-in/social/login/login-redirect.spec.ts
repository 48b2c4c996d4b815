import { AppError } from '../../../kernel/app-error.js';
import { pageOf, refused } from './login-redirect.js';
import '../social.errors.js';

describe('where a refused login ends', () => {
  const location = (carrier: string | null, linkSessionId: string | null): string =>
    refused(new AppError('provider_denied'), pageOf({ carrier, linkSessionId })).location;

  it('is the page on which it began, with the error value and nothing else', () => {
    expect(location(null, null)).toBe('/dash/login#error=provider_denied');
    expect(location(null, 'session')).toBe('/dash/account#error=provider_denied');
    expect(location('a&b#c', null)).toBe('/dash/login?cli=a%26b%23c#error=provider_denied');
  });
});
