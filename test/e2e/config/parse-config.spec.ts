import { resolve } from 'node:path';
import { Module } from '@nestjs/common';
import { parseAppConfig as parseConfig } from '../../../src/app.module.js';
import type { Config } from '../../../src/platform/config/config.types.js';
import { ConfigError, type Environment } from '../../../src/platform/config/parse-config.js';
import { DeclaresVariables, defineVariables } from '../../../src/platform/config/variables.js';

const ACME = { client_id: 'lintel', client_secret: 'sesame', issuer: 'https://acme.test' };
const FEDERATED = { AUTH: JSON.stringify({ enabled_providers: ['acme'], providers: { acme: ACME } }) };

function faultsOf(environment: Environment): readonly string[] {
  try {
    parseConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

function auth(value: unknown): Environment {
  return { AUTH: JSON.stringify(value) };
}

describe('parseConfig', () => {
  describe('without variables', () => {
    const config = parseConfig({});

    it('configures a development service on loopback, with the embedded database in ./data', () =>
      expect(config).toMatchObject({
        production: false,
        port: 8000,
        host: '127.0.0.1',
        appUrl: 'http://localhost:8000',
        appName: 'Lintel',
        appKey: '',
        dataDir: resolve('data'),
        databaseUrl: undefined,
        databasePoolSize: 10,
        mail: { url: undefined, from: { name: 'Lintel', address: 'no-reply@localhost' } },
        rateLimitEnabled: true,
        trustProxy: false,
        logLevel: 'info',
      }));

    it('has the defaults of the specification', () =>
      expect(config.auth).toEqual({
        refreshTokenEnabled: false,
        refreshTokenLifetimeSeconds: 604_800,
        accessTokenLifetimeSeconds: 604_800,
        tokenAlgorithm: 'HS256',
        otp: { enabled: false, length: 6, expirationSeconds: 300, maxAttempts: 3 },
        registration: null,
        cliLogin: { enabled: false, allowedRedirectHosts: [], allowedRedirectUris: [] },
        rememberDays: 30,
        recoveryWindowSeconds: 604_800,
        recoveryDelaySeconds: 86_400,
        localLoginDisabled: false,
        geoIpFile: null,
        adminEmails: [],
        local: {
          activationMethod: 'auto',
          verificationMethod: 'link',
          activationUrl: 'http://localhost:8000/auth/local/activate',
          recoveryUrl: 'http://localhost:8000/auth/local/recover',
          emailChangeUrl: 'http://localhost:8000/auth/local/email/confirm',
        },
        providers: [],
      }));

    it('is deeply frozen', () => {
      const isFrozen = (value: unknown): boolean =>
        typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
      expect(isFrozen(config)).toBe(true);
      expect(
        isFrozen(parseConfig({ ...FEDERATED, TRUST_PROXY: '10.0.0.0/8', AUTH_REG_BLOCKED_DOMAINS: 'a.test' })),
      ).toBe(true);
    });
  });

  describe('defaults that depend on others', () => {
    it.each<[string, Environment, (config: Config) => unknown, unknown]>([
      [
        'listens everywhere in production',
        { NODE_ENV: 'production', APP_KEY: 'k'.repeat(32) },
        (c) => c.host,
        '0.0.0.0',
      ],
      ['has its port in its address', { PORT: '9000' }, (c) => c.appUrl, 'http://localhost:9000'],
      [
        'sends from the host of its address',
        { APP_URL: 'https://id.acme.test/', APP_NAME: 'Acme' },
        (c) => c.mail.from,
        { name: 'Acme', address: 'no-reply@id.acme.test' },
      ],
      ['gives tokens 15 minutes with refresh', { AUTH_ENABLE_REFRESH_TOKEN: 'true' }, lifetime, 900],
      [
        'gives tokens what is set, with refresh too',
        { AUTH_ENABLE_REFRESH_TOKEN: 'true', AUTH_ACCESS_TOKEN_LIFETIME: '60' },
        lifetime,
        60,
      ],
      ['activates by e-mail where there is mail', { MAIL_URL: 'smtp://mail.test' }, activation, 'email'],
      [
        'activates as AUTH says, with mail too',
        { MAIL_URL: 'smtp://mail.test', ...auth({ providers: { local: { activation_method: 'manual' } } }) },
        activation,
        'manual',
      ],
      [
        'puts its pages behind the path of its address',
        { APP_URL: 'https://acme.test/id' },
        (c) => c.auth.local.recoveryUrl,
        'https://acme.test/id/auth/local/recover',
      ],
    ])('%s', (_, environment, read, value) => expect(read(parseConfig(environment))).toEqual(value));

    function lifetime(config: Config): unknown {
      return config.auth.accessTokenLifetimeSeconds;
    }

    function activation(config: Config): unknown {
      return config.auth.local.activationMethod;
    }
  });

  describe('the registration policy', () => {
    const policy = (environment: Environment): unknown => parseConfig(environment).auth.registration;

    it.each(['AUTH_REG_ALLOWED_DOMAINS', 'AUTH_REG_BLOCKED_DOMAINS'])('is on with normalisation by %s', (name) =>
      expect(policy({ [name]: ' Acme.test, ,bücher.example' })).toMatchObject({
        [name.includes('ALLOWED') ? 'allowedEmailDomains' : 'blockedEmailDomains']: [
          'acme.test',
          'xn--bcher-kva.example',
        ],
        normalizeEmail: true,
      }),
    );

    it('has reserved names in lower case by default', () =>
      expect(policy({ AUTH_REG_RESERVED_USERNAMES: 'Admin,root' })).toEqual({
        allowedEmailDomains: [],
        blockedEmailDomains: [],
        reservedUsernames: ['admin', 'root'],
        normalizeEmail: true,
      }));

    it('reads each list from its variable, and otherwise from AUTH', () => {
      const registration = {
        allowed_email_domains: ['one.test'],
        blocked_email_domains: ['two.test'],
        normalize_email: false,
      };
      expect(policy({ ...auth({ registration }), AUTH_REG_ALLOWED_DOMAINS: 'three.test' })).toEqual({
        allowedEmailDomains: ['three.test'],
        blockedEmailDomains: ['two.test'],
        reservedUsernames: [],
        normalizeEmail: false,
      });
    });
  });

  describe('overrides of AUTH', () => {
    it('read the switches of native apps from variables first', () => {
      const allowed_redirect_uris = ['https://one.test/x'];
      const cli_login = { enabled: true, allowed_redirect_hosts: ['One.test'], allowed_redirect_uris };
      expect(parseConfig(auth({ cli_login })).auth.cliLogin).toEqual({
        enabled: true,
        allowedRedirectHosts: ['one.test'],
        allowedRedirectUris: ['https://one.test/x'],
      });
      const variables = {
        AUTH_CLI_LOGIN_ENABLED: 'false',
        AUTH_CLI_ALLOWED_REDIRECT_HOSTS: 'two.test',
        AUTH_CLI_ALLOWED_REDIRECT_URIS: 'https://two.test/x, http://localhost:5173/',
      };
      expect(parseConfig({ ...auth({ cli_login }), ...variables }).auth.cliLogin).toEqual({
        enabled: false,
        allowedRedirectHosts: ['two.test'],
        allowedRedirectUris: ['https://two.test/x', 'http://localhost:5173/'],
      });
    });

    it('list the enabled providers once, in order, without local', () => {
      const providers = { google: { client_id: 'g', client_secret: 'sesame' }, acme: ACME, idle: ACME };
      const config = parseConfig(auth({ enabled_providers: ['acme', 'local', 'google', 'acme'], providers }));
      expect(config.auth.providers.map(({ name }) => name)).toEqual(['acme', 'google']);
    });

    it('treat an empty variable as not set', () =>
      expect(parseConfig({ PORT: '', AUTH: '', AUTH_REG_ALLOWED_DOMAINS: '' })).toEqual(parseConfig({})));
  });

  describe('errors between variables', () => {
    it.each<[string, Environment, string[]]>([
      ['APP_KEY in production', { NODE_ENV: 'production' }, ['APP_KEY must be set in production']],
      [
        'federated-only mode without a provider',
        { AUTH_DISABLE_LOCAL_LOGIN: 'true', ...auth({ enabled_providers: ['local'] }) },
        ['AUTH_DISABLE_LOCAL_LOGIN must not be true without a social provider in AUTH.enabled_providers'],
      ],
      ['federated-only mode with one', { AUTH_DISABLE_LOCAL_LOGIN: 'true', ...FEDERATED }, []],
      [
        'features that need mail, in production without it',
        {
          NODE_ENV: 'production',
          APP_KEY: 'k'.repeat(32),
          AUTH_OTP_ENABLED: 'true',
          ...auth({ providers: { local: { activation_method: 'email' } } }),
        },
        ['MAIL_URL must be set for the activation method email', 'MAIL_URL must be set for AUTH_OTP_ENABLED'],
      ],
      ['the same in development, where mail is captured', { AUTH_OTP_ENABLED: 'true' }, []],
      [
        'an enabled provider that is not there, and one that is not complete',
        auth({ enabled_providers: ['acme', 'other'], providers: { other: {} } }),
        [
          'AUTH.enabled_providers contains acme, which must be defined in AUTH.providers',
          'AUTH.providers.other.client_id must be set',
          'AUTH.providers.other.client_secret must be set',
          'AUTH.providers.other.issuer must be set',
        ],
      ],
    ])('%s', (_, environment, faults) => expect(faultsOf(environment)).toEqual(faults));
  });

  it('lists the errors of all variables and features together', () => {
    @DeclaresVariables(defineVariables('Acme', {}, { faults: () => ['MAIL_URL must be of another colour'] }))
    @Module({})
    class AcmeModule {}
    let faults: readonly string[] = [];
    try {
      parseConfig(
        { PORT: 'x', APP_URL: 'y', AUTH: '{', AUTH_OTP_LENGTH: '1', NODE_ENV: 'prod' },
        { modules: [AcmeModule] },
      );
    } catch (error) {
      faults = (error as ConfigError).faults;
    }
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'NODE_ENV',
      'PORT',
      'APP_URL',
      'AUTH_OTP_LENGTH',
      'AUTH',
      'MAIL_URL',
    ]);
  });
});
