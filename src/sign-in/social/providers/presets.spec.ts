import type { OpenIdProviderDefinition, ProviderDefinition } from './provider-definition.types.js';
import { PRESETS } from './presets.js';

const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

function preset(name: string): ProviderDefinition {
  return PRESETS.find((definition) => definition.name === name)!;
}

describe('presets', () => {
  it('have the documented issuers', () => {
    const issuers = PRESETS.map(({ name, issuer }) => [name, typeof issuer === 'function' ? issuer({}) : issuer]);
    expect(issuers).toEqual([
      ['google', 'https://accounts.google.com'],
      ['microsoft', 'https://login.microsoftonline.com/common/v2.0'],
      ['apple', 'https://appleid.apple.com'],
      ['github', undefined],
    ]);
    const { issuer } = preset('microsoft') as { issuer: (settings: object) => string };
    expect(issuer({ tenant: TENANT })).toBe(`https://login.microsoftonline.com/${TENANT}/v2.0`);
  });

  it('have the URLs of GitHub, and of a GitHub Enterprise Server', () => {
    const { endpoints } = preset('github') as { endpoints: (settings: object) => object };
    expect(endpoints({})).toEqual({
      issuer: 'https://github.com',
      authorization: 'https://github.com/login/oauth/authorize',
      token: 'https://github.com/login/oauth/access_token',
      profile: 'https://api.github.com/user',
      details: { emails: 'https://api.github.com/user/emails' },
    });
    expect(endpoints({ issuer: 'https://git.acme.example' })).toMatchObject({
      issuer: 'https://git.acme.example',
      profile: 'https://git.acme.example/api/v3/user',
    });
  });

  it.each([
    ['common', '{tenantid}', true],
    ['common', TENANT, true],
    ['contoso.example', TENANT, true],
    [TENANT, TENANT, true],
    [TENANT, '{tenantid}', false],
    [TENANT, '72f988bf-86f1-41af-91ab-2d7cd011db47', false],
    ['common', 'common', false],
    ['common', '../x', false],
  ])('microsoft: configured for %s, announced for %s: %s', (configured, announced, same) => {
    const address = (tenant: string, origin = 'https://login.microsoftonline.com'): string =>
      `${origin}/${tenant}/v2.0`;
    const { acceptsIssuer } = preset('microsoft') as OpenIdProviderDefinition;
    expect(acceptsIssuer?.(address(announced), address(configured))).toBe(same);
    expect(acceptsIssuer?.(address(announced, 'https://evil.example'), address(configured))).toBe(false);
  });
});
