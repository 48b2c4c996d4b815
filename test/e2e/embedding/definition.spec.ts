import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assembleApp } from '../../../src/application/assemble-app.js';
import { CliLoginSettings } from '../../../src/identity/auth/carrier/cli-login-settings.port.js';
import { CliLoginModule } from '../../../src/sign-in/cli-login/cli-login.module.js';
import { DashModule } from '../../../src/edge/dash/dash.module.js';
import { ConfigModule } from '../../../src/platform/config/config.module.js';
import { createLogger } from '../../../src/platform/http/server/logger.js';
import { ExtensionModule } from '../../../src/platform/extension/extension.module.js';
import { LocalModule } from '../../../src/sign-in/local/local.module.js';
import { MailModule, type MailModuleOptions } from '../../../src/platform/mail/mail.module.js';
import type { RegistrationPolicySettings } from '../../../src/identity/auth/auth-config.types.js';
import { RegistrationPolicyModule } from '../../../src/identity/registration-policy/registration-policy.module.js';
import { SetupModule } from '../../../src/edge/setup/setup.module.js';
import { SocialModule } from '../../../src/sign-in/social/social.module.js';
import { Mailbox } from '../../support/mailbox.js';
import { TestApp, type TestAppOptions, useTestApp } from '../../support/test-app.js';
import { accounts, signUp } from '../registration/support/sign-up.js';

async function startFault(options: TestAppOptions): Promise<string> {
  try {
    await (await TestApp.start(options)).stop();
  } catch (error) {
    expect((error as Error).name).toBe('DefinitionError');
    return (error as Error).message;
  }
  throw new Error('It started.');
}

/** Wraps each import in a separate module, as features do. */
function features(...imports: object[]): NonNullable<TestAppOptions['modules']> {
  return imports.map((one) => {
    @Module({ imports: [one as never] })
    class Feature {}
    return Feature;
  });
}

const policy = (settings: Partial<RegistrationPolicySettings>) => RegistrationPolicyModule.forRoot(settings);
const native = (settings: Partial<CliLoginSettings>) => CliLoginModule.forRoot(settings);
const mail = (templates: MailModuleOptions['templates']) => MailModule.forRoot({ templates });

describe('settings of several modules', () => {
  describe('that are compatible', () => {
    let mailbox: Mailbox;
    let app: TestApp;

    beforeAll(async () => {
      mailbox = await Mailbox.open();
      app = await TestApp.start({
        env: { MAIL_URL: mailbox.url, AUTH_REG_BLOCKED_DOMAINS: 'replaced.example' },
        modules: features(
          policy({ blockedEmailDomains: ['one.example'] }),
          policy({ reservedUsernames: ['root'], blockedEmailDomains: ['two.example', 'one.example'] }),
          policy({ reservedUsernames: ['boss'], normalizeEmail: undefined }),
          native({ enabled: true }),
          native({ allowedRedirectHosts: ['app.acme.example'] }),
          native({ allowedRedirectUris: ['https://app.acme.example/signed-in'] }),
          mail({ activation: { subject: 'ACME says hi' } }),
          mail({ activation: { text: 'Go to {{link}}.' }, 'password-changed': { subject: 'ACME again' } }),
        ),
      });
    });
    afterAll(async () => {
      await app?.stop();
      await mailbox?.close();
    });

    it('all apply: the policy', async () => {
      const refusals = [];
      for (const [email, username] of [
        ['a@one.example', undefined],
        ['a@two.example', undefined],
        ['a@example.com', 'Root'],
        ['a@example.com', 'boss'],
      ])
        refusals.push((await signUp(app, { email, username }).expect(400)).body.data.error);
      expect(refusals).toEqual([
        'email_domain_blocked',
        'email_domain_blocked',
        'username_reserved',
        'username_reserved',
      ]);
      await signUp(app, { email: 'a@replaced.example' }).expect(201);
    });

    it('all apply: the hosts of native apps', () => {
      expect(app.get(CliLoginSettings)).toEqual({
        enabled: true,
        allowedRedirectHosts: ['app.acme.example'],
        allowedRedirectUris: ['https://app.acme.example/signed-in'],
      });
    });

    it('all apply: the texts of mails, each sent once', async () => {
      await signUp(app, { email: 'ann@example.com' }).expect(201);
      const { subject, text } = await mailbox.waitFor('ann@example.com');
      expect({ subject, text }).toEqual({ subject: 'ACME says hi', text: expect.stringMatching(/^Go to http\S+\.\s/) });
      expect(mailbox.attempts.filter((to) => to === 'ann@example.com')).toHaveLength(1);
    });
  });

  it.each<[string, object[], string]>([
    [
      'allowed domains',
      [policy({ allowedEmailDomains: ['a.example'] }), policy({ allowedEmailDomains: ['b.example'] })],
      'Two modules set allowedEmailDomains with RegistrationPolicyModule.forRoot to different values. Set it in one module only.',
    ],
    [
      'normalisation',
      [policy({ normalizeEmail: true }), policy({ normalizeEmail: false })],
      'Two modules set normalizeEmail with RegistrationPolicyModule.forRoot to different values. Set it in one module only.',
    ],
    [
      'native-app login',
      [native({ enabled: true }), native({ enabled: false })],
      'Two modules set enabled with CliLoginModule.forRoot to different values. Set it in one module only.',
    ],
    [
      'hosts',
      [native({ allowedRedirectHosts: ['a.example'] }), native({ allowedRedirectHosts: ['b.example'] })],
      'Two modules set allowedRedirectHosts with CliLoginModule.forRoot to different values. Set it in one module only.',
    ],
    [
      'one part of a mail',
      [mail({ otp: { subject: 'A' } }), mail({ otp: { subject: 'B' } })],
      'Two modules set subject with MailModule.forRoot, otp to different values. Set it in one module only.',
    ],
    [
      'an unknown policy setting',
      [policy({ reservedUsername: ['root'] } as never)],
      'RegistrationPolicyModule.forRoot has no setting reservedUsername. Its settings are allowedEmailDomains, blockedEmailDomains, reservedUsernames, normalizeEmail.',
    ],
    [
      'an unknown native-app setting',
      [native({ allowed: ['a.example'] } as never)],
      'CliLoginModule.forRoot has no setting allowed. Its settings are enabled, allowedRedirectHosts, allowedRedirectUris.',
    ],
    [
      'an unknown mail setting',
      [MailModule.forRoot({ template: {} } as never)],
      'MailModule.forRoot has no setting template. Its settings are templates, mails.',
    ],
    [
      'an invalid domain',
      [policy({ blockedEmailDomains: ['*.example'] })],
      'The registration policy\'s blockedEmailDomains contains "*.example", which is not a domain.',
    ],
    [
      'an invalid host',
      [native({ allowedRedirectHosts: ['https://a.example'] })],
      'CliLoginModule: "https://a.example" is not a host name. Use names without scheme, port or wildcard.',
    ],
  ])('that conflict: %s stop the start', async (_, imports, sentence) => {
    expect(await startFault({ modules: features(...imports) })).toBe(sentence);
  });
});

describe('Lintel modules inside a module of the team', () => {
  const parts = { auth: { localLoginDisabled: false }, production: false } as never;

  it.each([
    ['LocalModule', () => LocalModule.forRoot(parts)],
    ['SetupModule', () => SetupModule.forRoot(parts)],
    ['DashModule', () => DashModule.forRoot(parts)],
    ['ConfigModule', () => ConfigModule.forRoot(parts)],
    ['ExtensionModule', () => ExtensionModule.forRoot({})],
  ])('a second %s stops the start', async (name, make) => {
    const sentence = `${name} is already part of the application. Remove it from your modules.`;
    expect(await startFault({ modules: features(make()) })).toBe(sentence);
  });

  it('imported by name are the ones of the service', async () => {
    const modules = features(
      MailModule,
      CliLoginModule,
      RegistrationPolicyModule,
      ConfigModule,
      LocalModule,
      SocialModule,
    );
    const app = await TestApp.start({ modules });
    await signUp(app, { email: 'ann@example.com' }).expect(201);
    expect(await accounts(app)).toHaveLength(1);
    await app.stop();
  });
});

describe('assembleApp', () => {
  const world = useTestApp();

  it('creates roles without a roles file', async () => {
    const { config, connection } = world.app;
    const logger = createLogger('silent');
    await world.app.sql(`DELETE FROM roles WHERE name = 'guest'`);
    let seen: unknown;
    @Injectable()
    class Watcher implements OnModuleInit {
      constructor(private readonly source: DataSource) {}
      async onModuleInit(): Promise<void> {
        seen = await this.source.query(`SELECT name FROM roles ORDER BY name`);
      }
    }
    @Module({ providers: [Watcher] })
    class WatchModule {}
    const app = await assembleApp({ config, connection, logger, definition: { modules: [WatchModule] } });
    await app.init();
    expect(seen).toEqual([{ name: 'admin' }, { name: 'user' }]);
    const names = await world.app.sql<{ name: string }>('SELECT name FROM roles ORDER BY name');
    expect(names.map(({ name }) => name)).toEqual(['admin', 'guest', 'user']);
    await app.close();
  });

  it('rejects middleware, which belongs in a module', async () => {
    const { config, connection } = world.app;
    const app = await assembleApp({ config, connection, logger: createLogger('silent') });
    expect(() => app.use(() => undefined)).toThrow(
      'app.use() is not available. Add the middleware in configure(consumer) of a module.',
    );
    await app.close();
  });
});
