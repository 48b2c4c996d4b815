import { readMetadata } from './oidc-discovery.js';

const ISSUER = 'https://accounts.example';
const DOCUMENT = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
};

describe('provider metadata', () => {
  const read = (changes: object, reach: 'public' | 'private' = 'public', rules: object = {}) =>
    readMetadata(
      { ...DOCUMENT, ...changes },
      {
        usesUserinfo: true,
        acceptsIssuer: (announced, configured) => announced === configured,
        tokenIssuer: (announced) => announced,
        identity: () => ({}),
        scope: 'email',
        responseMode: undefined,
        name: 'acme',
        issuer: ISSUER,
        clientId: 'id',
        clientSecret: () => Promise.resolve('secret'),
        redirectUri: 'https://lintel.example/api/auth/acme/callback',
        timeoutMs: 1_000,
        reach,
        ...rules,
      },
    );

  describe.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'])('%s', (endpoint) => {
    it.each([
      'http://127.0.0.1:5432/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://10.0.0.1/',
      'https://localhost/',
    ])('does not redirect the service in production to addresses such as %s', (address) => {
      expect(() => read({ [endpoint]: address })).toThrow(expect.objectContaining({ code: 'provider_failed' }));
      expect(() => read({ [endpoint]: address }, 'private')).not.toThrow();
    });
  });

  it('is accepted if every address is public', () => expect(read({}).tokenEndpoint).toBe(`${ISSUER}/token`));

  it.each([false, 'yes', 1, Promise.resolve(true)])(
    'is rejected for another issuer unless acceptsIssuer returns true, not %p',
    (answer) => {
      const acceptsIssuer = () => answer as boolean;
      expect(() => read({}, 'public', { acceptsIssuer })).toThrow(expect.objectContaining({ code: 'provider_failed' }));
    },
  );
});
