import { isAllowedEndpoint } from './endpoint-rules.js';

describe('isAllowedEndpoint', () => {
  it.each(['https://accounts.example', 'https://accounts.example:8443/a/b?c=d', 'https://127.0.0.1/x'])(
    'allows %s everywhere',
    (address) => {
      expect([isAllowedEndpoint(address, true), isAllowedEndpoint(address, false)]).toEqual([true, true]);
    },
  );

  it.each(['http://127.0.0.1:4000', 'http://localhost:4000/x', 'http://[::1]:4000'])(
    'allows %s everywhere: it stays on this machine',
    (address) => expect(isAllowedEndpoint(address, true)).toBe(true),
  );

  it.each([
    'http://accounts.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://10.0.0.1',
  ])('allows %s only outside of production', (address) => {
    expect([isAllowedEndpoint(address, true), isAllowedEndpoint(address, false)]).toEqual([false, true]);
  });

  it.each([
    undefined,
    null,
    1,
    ['https://accounts.example'],
    {},
    '',
    'accounts.example',
    '//accounts.example',
    'ftp://accounts.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    'https://a:b@accounts.example',
    'https://a@accounts.example',
    'https://accounts.example/#x',
    `https://accounts.example/${'x'.repeat(2_000)}`,
  ])('refuses %j', (address) => {
    expect([isAllowedEndpoint(address, true), isAllowedEndpoint(address, false)]).toEqual([false, false]);
  });
});
