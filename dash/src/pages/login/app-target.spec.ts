import { readAppTarget } from './app-target.js';

const encode = (content: unknown): string => Buffer.from(JSON.stringify(content)).toString('base64url');
const carrier = (redirect_uri: unknown): string => `${encode({ redirect_uri })}.signature`;

describe('the target of a native-app sign-in', () => {
  it.each([
    ['http://127.0.0.1:53682/callback?x=1', '127.0.0.1:53682', 'http://127.0.0.1:53682/callback'],
    ['http://[::1]:4000/', '[::1]:4000', 'http://[::1]:4000/'],
    ['https://localhost/cb', 'localhost', 'https://localhost/cb'],
  ])('recognises %s as a program on this computer', (uri, host, address) => {
    expect(readAppTarget(carrier(uri))).toEqual({ local: true, host, address, linked: false });
  });

  it('recognises a web app', () => {
    const payload = { redirect_uri: 'https://app.example.com/in' };
    expect(readAppTarget(`${encode({ ...payload, linked: true })}.s`)).toMatchObject({ linked: true });
    expect(readAppTarget(`${encode({ ...payload, linked: 'true' })}.s`)).toMatchObject({ linked: false });
  });

  it.each([
    'https://127.0.0.1.evil.example/',
    'https://localhost.evil.example/',
    'https://tools.example.org/return',
    'https://localhost./',
  ])('does not treat %s as local', (uri) => {
    expect(readAppTarget(carrier(uri))).toMatchObject({ local: false, host: new URL(uri).host });
  });

  it('shows look-alike letters in ASCII form', () => {
    expect(readAppTarget(carrier('https://lосalhost.example/'))?.host).toMatch(/^xn--/);
  });

  it('reads the payload after a header', () => {
    const text = `${encode({ alg: 'HS256', redirect_uri: 'https://wrong.example' })}.${carrier('http://localhost:1/')}`;
    expect(readAppTarget(text)?.host).toBe('localhost:1');
  });

  it.each([
    '',
    'x',
    'a.b',
    '..',
    'a.b.c.d',
    `${encode(null)}.s`,
    `${encode({})}.s`,
    carrier(['http://127.0.0.1/']),
    carrier('javascript:alert(1)'),
    carrier('file:///etc/passwd'),
    carrier('http://127.0.0.1@evil.example/'),
    carrier('http://user:secret@127.0.0.1/'),
    carrier('not an address'),
    `${carrier('http://127.0.0.1/')}.${'x'.repeat(9000)}`,
  ])('returns null for %j', (text) => {
    expect(readAppTarget(text)).toBeNull();
  });
});
