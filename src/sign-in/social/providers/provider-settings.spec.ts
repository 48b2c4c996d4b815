import { generateKeyPairSync } from 'node:crypto';
import type { ProviderSettings } from '../../../identity/auth/auth-config.types.js';
import { providerFaults, timeoutOf } from './provider-settings.js';

const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const P384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });

function settings(changes: Partial<ProviderSettings> = {}): ProviderSettings {
  return {
    name: 'acme',
    clientId: 'id',
    clientSecret: 'secret',
    issuer: 'https://accounts.example',
    scopes: undefined,
    extra: {},
    ...changes,
  };
}

describe('providerFaults', () => {
  it('finds nothing wrong with plain settings, and with those of presets', () => {
    expect(providerFaults(settings(), true)).toEqual([]);
    expect(providerFaults(settings({ issuer: undefined, extra: { tenant: 'contoso.example' } }), true)).toEqual([]);
    const apple = { team_id: 'TEAM000001', key_id: 'KEY0000001', private_key: P256 };
    expect(providerFaults(settings({ clientSecret: '', extra: apple }), true)).toEqual([]);
  });

  it('names every fault at once, with its place and without its value', () => {
    const extra = {
      response_mode: 'fragment',
      timeout_seconds: 0,
      tenant: '../x',
      private_key: 'hush',
      client_sceret: 'x',
    };
    const faults = providerFaults(settings({ issuer: 'http://accounts.example', extra }), true);
    expect(faults.map((fault) => fault.split(' must ')[0])).toEqual([
      'AUTH.providers.acme.response_mode',
      'AUTH.providers.acme.timeout_seconds',
      'AUTH.providers.acme.tenant',
      'AUTH.providers.acme.private_key',
      'AUTH.providers.acme.client_sceret',
      'AUTH.providers.acme.issuer',
    ]);
    expect(faults.join()).not.toContain('hush');
  });

  it('takes an address of a private network in production only where that is meant', () => {
    const issuer = 'https://10.0.0.7/realms/acme';
    expect(providerFaults(settings({ issuer }), true)).toEqual([expect.stringContaining('private_network')]);
    expect(providerFaults(settings({ issuer, extra: { private_network: true } }), true)).toEqual([]);
    expect(providerFaults(settings({ issuer, extra: { private_network: 'true' } }), true)).toHaveLength(2);
    expect(providerFaults(settings({ issuer }), false)).toEqual([]);
  });

  it('wants the parts of a signed secret where there is no other', () => {
    const faults = providerFaults(settings({ clientSecret: '', extra: { private_key: P256 } }), false);
    expect(faults).toEqual([
      'AUTH.providers.acme.team_id must be set where there is no client_secret',
      'AUTH.providers.acme.key_id must be set where there is no client_secret',
    ]);
  });

  it.each([P384, RSA, '', 1, null, ['x']])('refuses a key that cannot sign with ES256', (key) => {
    expect(providerFaults(settings({ extra: { private_key: key } }), false)).toHaveLength(1);
  });

  it('knows no inherited names', () => {
    expect(providerFaults(settings({ extra: { constructor: 'x', toString: 'x' } }), false)).toHaveLength(2);
  });
});

describe('timeoutOf', () => {
  it('is eight seconds unless said otherwise', () => {
    expect([timeoutOf(settings()), timeoutOf(settings({ extra: { timeout_seconds: 2.5 } }))]).toEqual([8_000, 2_500]);
  });
});
