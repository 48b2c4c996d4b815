import { AuthSettingsReader } from './auth-settings.js';

function read(value: unknown): { settings: ReturnType<AuthSettingsReader['read']>; faults: string[] } {
  const faults: string[] = [];
  const reader = new AuthSettingsReader((place, fault) => faults.push(`${place} must ${fault}`));
  const settings = reader.read(typeof value === 'string' ? value : JSON.stringify(value));
  return { settings, faults };
}

describe('AUTH', () => {
  it('accepts everything in the contract', () => {
    const { settings, faults } = read({
      enabled_providers: ['acme'],
      providers: {
        acme: {
          client_id: 'id',
          client_secret: 'secret',
          issuer: 'https://acme.test/',
          scopes: ['email'],
          tenant: 'x',
        },
        local: {
          activation_method: 'email',
          verification_method: 'otp',
          activation_url: 'https://app.test/activate?from=mail',
          recovery_url: 'https://app.test/recover',
          email_change_url: 'https://app.test/email',
        },
      },
      registration: {
        allowed_email_domains: ['Acme.test'],
        blocked_email_domains: [],
        reserved_usernames: ['root'],
        normalize_email: true,
      },
      cli_login: { enabled: true, allowed_redirect_hosts: ['app.test'] },
    });
    expect(faults).toEqual([]);
    expect(settings).toMatchObject({
      enabledProviders: ['acme'],
      providers: [{ name: 'acme', issuer: 'https://acme.test', scopes: ['email'], extra: { tenant: 'x' } }],
      local: { activationMethod: 'email', verificationMethod: 'otp' },
      registration: { allowedEmailDomains: ['acme.test'], normalizeEmail: true },
      cliLogin: { enabled: true, allowedRedirectHosts: ['app.test'] },
    });
  });

  it('is empty by default', () => {
    const { settings, faults } = read({});
    expect(faults).toEqual([]);
    expect(settings).toMatchObject({ enabledProviders: [], providers: [], registration: undefined, cliLogin: {} });
  });

  it.each(['{', '', 'null', '[]', '"{}"', '1', "{'a': 1}"])('rejects %j, which is no JSON object', (text) =>
    expect(read(text).faults).toEqual([expect.stringMatching(/^AUTH must be (JSON|an object)$/)]),
  );

  it('reports all errors with their paths', () => {
    const { faults } = read({
      enabled: true,
      enabled_providers: ['acme', 7],
      providers: {
        acme: { client_id: 7, client_secret: ['x'], issuer: 'acme.test', scopes: 'email' },
        Local: {},
        me: {},
        __proto: {},
        other: null,
        local: { activation_method: 'sms', activation_url: 'javascript:alert(1)', colour: 'red' },
      },
      registration: { allowed_email_domains: 'acme.test', reserved_usernames: [''], normalize_email: 'yes' },
      cli_login: { enabled: 1, allowed_redirect_hosts: ['*.app.test'] },
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'AUTH.enabled',
      'AUTH.enabled_providers[1]',
      'AUTH.providers.acme.client_id',
      'AUTH.providers.acme.client_secret',
      'AUTH.providers.acme.issuer',
      'AUTH.providers.acme.scopes',
      'AUTH.providers.Local',
      'AUTH.providers.me',
      'AUTH.providers.__proto',
      'AUTH.providers.other',
      'AUTH.providers.local.colour',
      'AUTH.providers.local.activation_method',
      'AUTH.providers.local.activation_url',
      'AUTH.registration.allowed_email_domains',
      'AUTH.registration.reserved_usernames[0]',
      'AUTH.registration.normalize_email',
      'AUTH.cli_login.enabled',
      'AUTH.cli_login.allowed_redirect_hosts[0]',
    ]);
  });

  it('shows no secret in an error', () => {
    const { faults } = read({
      providers: { acme: { client_id: 'sesame\n', client_secret: 'sesame\u0000', issuer: 'sesame://sesame' } },
    });
    expect(faults).toHaveLength(3);
    expect(faults.join()).not.toContain('sesame');
  });

  it.each(['local', 'otp', 'cli', 'token', 'methods', 'me', 'logout', 'exchange', 'sessions', 'devices', 'identities'])(
    'reserves the path of %s: no provider has that name',
    (name) => {
      // `local` is a group of settings, not a provider.
      const { settings } = read({ providers: { [name]: { client_id: 'x', client_secret: 'y' } } });
      expect(settings.providers).toEqual([]);
    },
  );
});
