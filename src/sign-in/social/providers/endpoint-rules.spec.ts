import { isAllowedEndpoint } from './endpoint-rules.js';

/** Returns whether an address is allowed in production, in production with `private_network`, and elsewhere. */
const allowed = (address: unknown): boolean[] =>
  (['public', 'private', 'any'] as const).map((reach) => isAllowedEndpoint(address, reach));

describe('isAllowedEndpoint', () => {
  it.each([
    'https://accounts.example',
    'https://accounts.example:8443/a/b?c=d',
    'https://93.184.216.34/x',
    'https://[2606:4700::1111]/',
    'https://localhost.example.com',
  ])('allows %s everywhere', (address) => expect(allowed(address)).toEqual([true, true, true]));

  it.each([
    'https://127.0.0.1/x',
    'https://127.1',
    'https://2130706433',
    'https://0x7f.0.0.1',
    'https://0177.0.0.1',
    'https://１２７.0.0.1',
    'https://localhost',
    'https://LOCALHOST.',
    'https://sso.localhost',
    'https://keycloak',
    'https://keycloak.internal',
    'https://printer.local.',
    'https://0.0.0.0',
    'https://10.0.0.1',
    'https://172.16.0.1',
    'https://172.31.255.255',
    'https://192.168.1.1',
    'https://100.64.0.1',
    'https://169.254.169.254/latest/meta-data',
    'https://224.0.0.1',
    'https://255.255.255.255',
    'https://[::1]',
    'https://[::]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:a00:1]',
    'https://[::7f00:1]',
    'https://[64:ff9b::7f00:1]',
    'https://[2002:7f00:1::]',
    'https://[2001:0:7f00:1::]',
    'https://[fd00::1]',
    'https://[fe80::1]',
    'https://[fec0::1]',
    'https://[ff02::1]',
  ])('allows %s in production only with the setting', (address) =>
    expect(allowed(address)).toEqual([false, true, true]),
  );

  it.each(['http://127.0.0.1:4000', 'http://localhost:4000/x', 'http://[::1]:4000'])(
    'allows %s, on this machine, likewise',
    (address) => expect(allowed(address)).toEqual([false, true, true]),
  );

  it.each([
    'http://accounts.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://10.0.0.1',
  ])('allows %s outside of production only', (address) => expect(allowed(address)).toEqual([false, false, true]));

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
  ])('rejects %j', (address) => expect(allowed(address)).toEqual([false, false, false]));
});
