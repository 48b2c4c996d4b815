import { GENERIC, OIDC_PRESETS } from './oidc-presets.js';

const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

describe('presets', () => {
  it('know their issuers', () => {
    const issuers = [...OIDC_PRESETS].map(([name, preset]) => [name, preset.issuer?.({})]);
    expect(issuers).toEqual([
      ['google', 'https://accounts.google.com'],
      ['microsoft', 'https://login.microsoftonline.com/common/v2.0'],
      ['apple', 'https://appleid.apple.com'],
    ]);
    expect(OIDC_PRESETS.get('microsoft')?.issuer?.({ tenant: TENANT })).toBe(
      `https://login.microsoftonline.com/${TENANT}/v2.0`,
    );
  });

  it('take an issuer with a slash at its end for the same, and no other spelling', () => {
    const { isSameIssuer } = GENERIC;
    expect(isSameIssuer('https://acme.example/', 'https://acme.example')).toBe(true);
    for (const other of [
      'https://ACME.example',
      'https://acme.example/x',
      'http://acme.example',
      'https://acme.example.evil',
    ]) {
      expect(isSameIssuer(other, 'https://acme.example')).toBe(false);
    }
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
    const rule = OIDC_PRESETS.get('microsoft')?.isSameIssuer;
    expect(rule?.(address(announced), address(configured))).toBe(same);
    expect(rule?.(address(announced, 'https://evil.example'), address(configured))).toBe(false);
  });
});
