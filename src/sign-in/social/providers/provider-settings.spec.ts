import { generateKeyPairSync } from 'node:crypto';
import { defineProvider } from './define-provider.js';
import { PRESETS } from './presets.js';
import { type ConfiguredProvider, endpointsOf, providerFaults, timeoutOf } from './provider-settings.js';

const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const P384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });

const PLAIN = defineProvider({ name: 'acme', issuer: () => undefined, scopes: [] });

function settings(changes: Partial<ConfiguredProvider> = {}): ConfiguredProvider {
  return {
    name: 'acme',
    clientId: 'id',
    clientSecret: 'secret',
    issuer: 'https://accounts.example',
    scopes: undefined,
    extra: {},
    definition: PLAIN,
    ...changes,
  };
}

function preset(name: string, changes: Partial<ConfiguredProvider> = {}): ConfiguredProvider {
  const definition = PRESETS.find((row) => row.name === name)!;
  return settings({ name, definition, issuer: undefined, ...changes });
}

describe('providerFaults', () => {
  it('accepts plain settings, and those of presets', () => {
    expect(providerFaults(settings(), true)).toEqual([]);
    expect(providerFaults(preset('google'), true)).toEqual([]);
    expect(providerFaults(preset('github'), true)).toEqual([]);
    expect(providerFaults(preset('microsoft', { extra: { tenant: 'contoso.example' } }), true)).toEqual([]);
    const apple = { team_id: 'TEAM000001', key_id: 'KEY0000001', private_key: P256 };
    expect(providerFaults(preset('apple', { clientSecret: '', extra: apple }), true)).toEqual([]);
  });

  it.each([[[]], ['mfa'], [['']], [[1]], [Array.from({ length: 21 }, () => 'mfa')], [['x'.repeat(201)]]])(
    'accepts lists of values for second factors, and not %j',
    (values) => {
      const fault = (extra: object) => providerFaults(settings({ extra: { ...extra } }), true);
      expect(fault({ mfa_amr: values })).toEqual(['AUTH.providers.acme.mfa_amr must be a list of 1 to 20 texts']);
      expect(fault({ mfa_acr: ['urn:acme:two'], mfa_amr: ['mfa'] })).toEqual([]);
    },
  );

  it('rejects values for second factors of a provider without a signature', () => {
    const [fault] = providerFaults(preset('github', { extra: { mfa_amr: ['mfa'] } }), true);
    expect(fault).toContain('AUTH.providers.github.mfa_amr must not be set');
  });

  it('reports all errors with their paths, without values', () => {
    const extra = {
      response_mode: 'fragment',
      timeout_seconds: 0,
      private_key: 'hush',
      client_sceret: 'x',
    };
    const faults = providerFaults(preset('apple', { clientId: '', extra }), true);
    expect(faults.map((fault) => fault.split(' must ')[0])).toEqual([
      'AUTH.providers.apple.client_id',
      'AUTH.providers.apple.response_mode',
      'AUTH.providers.apple.timeout_seconds',
      'AUTH.providers.apple.private_key',
      'AUTH.providers.apple.client_sceret',
    ]);
    expect(faults.join()).not.toContain('hush');
  });

  it('accepts a private address in production only on request', () => {
    const issuer = 'https://10.0.0.7/realms/acme';
    expect(providerFaults(settings({ issuer }), true)).toEqual([expect.stringContaining('private_network')]);
    expect(providerFaults(settings({ issuer, extra: { private_network: true } }), true)).toEqual([]);
    expect(providerFaults(settings({ issuer, extra: { private_network: 'true' } }), true)).toHaveLength(2);
    expect(providerFaults(settings({ issuer }), false)).toEqual([]);
  });

  it('requires the parts of a signed secret without another secret', () => {
    const faults = providerFaults(preset('apple', { clientSecret: '', extra: { private_key: P256 } }), false);
    expect(faults).toEqual([
      'AUTH.providers.apple.team_id must be set without client_secret',
      'AUTH.providers.apple.key_id must be set without client_secret',
    ]);
    expect(providerFaults(preset('apple', { clientSecret: '' }), false)).toEqual([
      'AUTH.providers.apple.client_secret must be set, or team_id, key_id, private_key',
    ]);
    expect(providerFaults(settings({ clientSecret: '' }), false)).toEqual([
      'AUTH.providers.acme.client_secret must be set',
    ]);
  });

  it.each([P384, RSA, '', 1, null, ['x']])('rejects a key that cannot sign with ES256', (key) => {
    expect(providerFaults(preset('apple', { extra: { private_key: key } }), false)).toHaveLength(1);
  });

  it('ignores inherited names', () => {
    expect(providerFaults(settings({ extra: { constructor: 'x', toString: 'x' } }), false)).toHaveLength(2);
  });
});

describe('providerFaults of a definition', () => {
  const endpoints = {
    authorization: 'https://acme.example/authorize',
    token: 'https://acme.example/token',
    profile: 'https://acme.example/me',
  };
  const identity = () => ({ subject: 1 });
  const region = {
    expects: 'be eu or us',
    accepts: (value: unknown) => value === 'eu' || value === 'us',
    required: true,
  };
  const own = (changes: Partial<ConfiguredProvider> = {}): ConfiguredProvider =>
    settings({
      issuer: undefined,
      definition: defineProvider({ name: 'acme', scopes: [], endpoints, settings: { region }, identity }),
      extra: { region: 'eu' },
      ...changes,
    });

  it('accepts settings that match its rows', () => expect(providerFaults(own(), true)).toEqual([]));

  it.each<[string, Partial<ConfiguredProvider>, string]>([
    ['a missing setting', { extra: {} }, 'AUTH.providers.acme.region must be set'],
    ['an invalid value', { extra: { region: 'mars' } }, 'AUTH.providers.acme.region must be eu or us'],
    [
      'a setting of another provider',
      { extra: { region: 'eu', tenant: 'x' } },
      'AUTH.providers.acme.tenant must not be set; known settings are response_mode, timeout_seconds, private_network, region',
    ],
    [
      'an issuer of an OAuth 2 provider',
      { issuer: 'https://acme.example' },
      'AUTH.providers.acme.issuer must not be set, because the provider is defined by its endpoints',
    ],
  ])('reports %s', (_, changes, fault) => expect(providerFaults(own(changes), true)).toEqual([fault]));

  it('rejects if a check throws, or returns anything but true', () => {
    for (const accepts of [() => JSON.parse('{') as boolean, () => 'yes' as unknown as boolean]) {
      const definition = defineProvider({
        name: 'acme',
        scopes: [],
        endpoints,
        settings: { region: { ...region, accepts } },
        identity,
      });
      expect(providerFaults(own({ definition }), false)).toEqual(['AUTH.providers.acme.region must be eu or us']);
    }
  });

  it.each<[string, object, boolean, string]>([
    ['with http in production', { token: 'http://acme.example/token' }, true, 'token'],
    ['of a private network', { profile: 'https://10.0.0.7/me' }, true, 'profile'],
    ['that is not a URL', { authorization: 'acme.example' }, false, 'authorization'],
    ['that is missing', { token: undefined }, false, 'token'],
    ['with another scheme in details', { details: { teams: 'ftp://acme.example' } }, false, 'teams'],
  ])('rejects an address %s', (_, changes, production, name) => {
    const definition = defineProvider({ name: 'acme', scopes: [], endpoints: { ...endpoints, ...changes }, identity });
    expect(providerFaults(own({ definition, extra: {} }), production)).toEqual([
      expect.stringMatching(
        new RegExp(`^AUTH\\.providers\\.acme must be defined with an address of the form https://.* as its ${name}$`),
      ),
    ]);
  });

  it('builds addresses from accepted settings only', () => {
    const seen: unknown[] = [];
    const create = (settings: object) => {
      seen.push(settings);
      return endpoints;
    };
    const definition = defineProvider({ name: 'acme', scopes: [], endpoints: create, settings: { region }, identity });
    expect(providerFaults(own({ definition, extra: { region: 'mars' } }), false)).toHaveLength(1);
    expect(seen).toEqual([]);
    expect(providerFaults(own({ definition, issuer: 'https://eu.acme.example' }), false)).toEqual([]);
    expect(seen).toEqual([{ region: 'eu', issuer: 'https://eu.acme.example' }]);
    const broken = defineProvider({ name: 'acme', scopes: [], endpoints: () => JSON.parse('hush') as never, identity });
    expect(providerFaults(own({ definition: broken, extra: {} }), false)).toEqual([
      'AUTH.providers.acme must have settings from which its addresses can be built (SyntaxError)',
    ]);
  });

  it('identifies a provider by its address without parameters, unless the definition names it', () => {
    const authorization = 'https://acme.example/authorize?prompt=login';
    const named = (more: object) =>
      endpointsOf(
        own({
          definition: defineProvider({
            name: 'acme',
            scopes: [],
            endpoints: { ...endpoints, authorization, ...more },
            identity,
          }),
        }),
      );
    expect(named({}).issuer).toBe('https://acme.example/authorize');
    expect(named({ issuer: 'https://acme.example' }).issuer).toBe('https://acme.example');
  });
});

describe('timeoutOf', () => {
  it('is eight seconds by default', () => {
    expect([timeoutOf(settings()), timeoutOf(settings({ extra: { timeout_seconds: 2.5 } }))]).toEqual([8_000, 2_500]);
  });
});
