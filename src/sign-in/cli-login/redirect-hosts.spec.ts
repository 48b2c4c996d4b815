import { readRedirectHosts } from './redirect-hosts.js';

describe('readRedirectHosts', () => {
  it('takes names and addresses, in lower case', () => {
    expect(readRedirectHosts(['App.Example.com', '10.0.0.5', '2001:DB8::5'])).toEqual([
      'app.example.com',
      '10.0.0.5',
      '2001:db8::5',
    ]);
  });

  it.each(['', 'https://app.example.com', 'app.example.com:8443', '*.example.com', 'app.example.com/', '[::2]', 'a b'])(
    'stops the start at %j',
    (host) => expect(() => readRedirectHosts([host])).toThrow('is no host'),
  );
});
