import { readRedirectHosts, readRedirectUris } from './redirect-hosts.js';

describe('readRedirectHosts', () => {
  it('accepts names and addresses, in lower case', () => {
    expect(readRedirectHosts(['App.Example.com', '10.0.0.5', '2001:DB8::5'])).toEqual([
      'app.example.com',
      '10.0.0.5',
      '2001:db8::5',
    ]);
  });

  it.each(['', 'https://app.example.com', 'app.example.com:8443', '*.example.com', 'app.example.com/', '[::2]', 'a b'])(
    'stops the start at %j',
    (host) => expect(() => readRedirectHosts([host])).toThrow('is not a host name'),
  );
});

describe('readRedirectUris', () => {
  it('accepts whole addresses', () => {
    const uris = ['https://app.example.com/signed-in?x=1', 'http://localhost:5173/'];
    expect(readRedirectUris(uris)).toEqual(uris);
  });

  it.each([
    '',
    'app.example.com',
    'http://app.example.com/',
    'https://*.example.com/',
    'https://App.example.com/',
    'x:/',
  ])('stops the start at %j', (uri) => expect(() => readRedirectUris([uri])).toThrow('is not a plain https address'));
});
