import { pagePolicy } from './page-policy.js';

const formAction = (redirectUri: string | null): string => pagePolicy(redirectUri).split('; ').at(-1) ?? '';

describe('pagePolicy', () => {
  it('lets a page load its own files and nothing else', () => {
    expect(pagePolicy(null)).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    );
  });

  it.each([
    ['http://127.0.0.1:49152/callback', 'http://127.0.0.1:49152'],
    ['http://localhost:8123/cb?x=1', 'http://localhost:8123'],
    ['http://localhost', 'http://localhost'],
    ['https://app.example.com/done', 'https://app.example.com'],
    ['https://localhost:4000/', 'https://localhost:4000'],
  ])('names the exact origin of %s', (redirectUri, origin) => {
    expect(formAction(redirectUri)).toBe(`form-action 'self' ${origin}`);
  });

  it.each([
    ['http://[::1]:49152/callback', 'http:'],
    ['https://[::1]:49152/callback', 'https:'],
    ['https://[2001:db8::7]/callback', 'https:'],
    ['https://192.0.2.7:8443/callback', 'https:'],
  ])('names the scheme of %s, whose host no source expression can name', (redirectUri, scheme) => {
    expect(formAction(redirectUri)).toBe(`form-action 'self' ${scheme}`);
  });
});
