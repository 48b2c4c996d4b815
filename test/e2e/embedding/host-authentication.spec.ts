import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Controller,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  type LoggerService,
  Module,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { Application } from '../../../src/application/create-app.js';
import { LintelAuthGuard } from '../../../src/application/lintel-auth.guard.js';
import { LintelModule } from '../../../src/application/lintel.module.js';
import {
  CurrentAccount,
  CurrentPrincipal,
  DeclaresResources,
  Public,
  Resource,
} from '../../../src/identity/auth/access/access.decorators.js';
import { Content } from '../../../src/data/content/content.service.js';
import { StepUp } from '../../../src/identity/auth/step-up/step-up.decorator.js';
import type { AccountPrincipal, Principal } from '../../../src/kernel/principal.types.js';
import { TEST_ENVIRONMENT } from '../../../src/testing/start-app.js';
import { ADAPTERS } from '../../support/guarded-service.js';
import { createDatabase } from '../../support/test-server.js';

const PASSWORD = 'sturdy walnut 47';
const SILENT: LoggerService = { log() {}, error() {}, warn() {} };

/** The routes of both sides: below `/api` they belong to Lintel, elsewhere to the host behind the guard. */
class Routes {
  @Get('mine')
  @Resource('auth.acme')
  mine(@CurrentAccount() { email, key }: AccountPrincipal): object {
    return { email, byKey: key !== undefined };
  }

  @Post('mine')
  @Resource('auth.acme')
  change(@CurrentAccount() { email }: AccountPrincipal): object {
    return { email };
  }

  @Get('orders')
  @Resource('acme.orders')
  orders(@CurrentPrincipal() { kind }: Principal): object {
    return { kind };
  }

  @Get('fresh')
  @Resource('auth.acme')
  @StepUp({ maxAge: 0 })
  fresh(): object {
    return {};
  }
}

@Controller('api/acme')
class AcmeController extends Routes {}

@DeclaresResources('auth.acme', 'acme.orders', 'acme.answers')
@Module({ controllers: [AcmeController] })
class AcmeModule {}

@Controller('host')
@UseGuards(LintelAuthGuard)
class HostController extends Routes {
  constructor(private readonly lintel: Application) {
    super();
  }

  @Get('undeclared')
  undeclared(@CurrentAccount() { email }: AccountPrincipal): object {
    return { email };
  }

  @Get('public')
  @Public()
  public(@CurrentPrincipal() { kind }: Principal): object {
    return { kind };
  }

  @Get('asked')
  @Public()
  async asked(@Req() request: IncomingMessage): Promise<object> {
    return { whole: await this.lintel.authenticate(request), headers: await this.lintel.authenticate(request.headers) };
  }
}

/** Configuration of the host. The definition also injects a service of the host, see GREETING. */
@Injectable()
class HostSettings {
  databaseUrl = '';
}
const GREETING = Symbol('GREETING');

@Controller('api/greeting')
class GreetingController {
  constructor(@Inject(GREETING) private readonly greeting: string) {}

  @Get()
  @Public()
  greet(): object {
    return { greeting: this.greeting };
  }
}
@Module({ controllers: [GreetingController] })
class GreetingModule {}

describe.each(ADAPTERS)('a host on %s that authenticates its own routes with Lintel', (_kind, adapter) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-host-'));
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let host: INestApplication;
  let url: string;
  let token: string;
  let key: string;

  beforeAll(async () => {
    database = await createDatabase();
    @Module({
      providers: [{ provide: HostSettings, useValue: { databaseUrl: database.address.url } }],
      exports: [HostSettings],
    })
    class SettingsModule {}
    @Module({
      imports: [
        LintelModule.forRootAsync({
          imports: [SettingsModule as never],
          inject: [HostSettings],
          useFactory: ({ databaseUrl }: HostSettings) => ({
            definition: { modules: [AcmeModule, GreetingModule] },
            scope: { prefix: '/api' },
            environment: { ...TEST_ENVIRONMENT, LOG_LEVEL: 'fatal', DATA_DIR: dataDir, DATABASE_URL: databaseUrl },
            providers: [{ provide: GREETING, useValue: 'hello from the host' }],
          }),
        }),
      ],
      controllers: [HostController],
    })
    class HostModule {}
    host = await NestFactory.create(HostModule, adapter() as AbstractHttpAdapter, {
      logger: SILENT,
      abortOnError: false,
    });
    await host.listen(0, '127.0.0.1');
    url = await host.getUrl();
    await send(
      'POST',
      '/api/auth/local/register',
      {},
      { email: 'ann@example.com', password: PASSWORD, password_confirmation: PASSWORD },
    );
    token = await signIn();
    const created = await send('POST', '/api/auth/keys', bearer(token), { name: 'script', current_password: PASSWORD });
    key = (created.body as { data: { key: string } }).data.key;
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
  const send = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(url + path, {
      method,
      headers: { ...headers, ...json },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : text };
  };
  const signIn = async (): Promise<string> => {
    const { body } = await send('POST', '/api/auth/local/login', {}, { login: 'ann@example.com', password: PASSWORD });
    return (body as { token: string }).token;
  };
  /** Sends one request to both sides, which must return the same response. */
  const both = async (method: string, path: string, headers: Record<string, string>) => {
    const [own, hosted] = [
      await send(method, `/api/acme/${path}`, headers),
      await send(method, `/host/${path}`, headers),
    ];
    expect(hosted).toEqual(own);
    return hosted;
  };

  it('accepts bearer tokens, cookies and API keys', async () => {
    expect(await both('GET', 'mine', bearer(token))).toEqual({
      status: 200,
      body: { email: 'ann@example.com', byKey: false },
    });
    expect(await both('GET', 'mine', { cookie: `a=1; token=${token}` })).toMatchObject({ status: 200 });
    expect(await both('GET', 'mine', bearer(key))).toMatchObject({ status: expect.any(Number) });
    expect(await send('GET', '/host/undeclared', bearer(key))).toEqual({
      status: 200,
      body: { email: 'ann@example.com' },
    });
  });

  it.each([
    ['no credentials', 'GET', () => ({}), 401, 'token_missing'],
    ['a broken token', 'GET', () => bearer('nonsense'), 401, 'token_invalid'],
    ['junk behind a token', 'GET', () => bearer(`${token} x`), 401, 'token_invalid'],
    ['an unknown key', 'GET', () => bearer(`lin_pat_${'0'.repeat(36)}`), 401, 'key_invalid'],
    [
      'a write by cookie from another site',
      'POST',
      () => ({ cookie: `token=${token}`, origin: 'https://evil.example' }),
      403,
      'cross_site_request',
    ],
  ])('rejects %s with the error of Lintel', async (_what, method, headers, status, error) => {
    expect(await both(method, 'mine', headers() as Record<string, string>)).toMatchObject({
      status,
      body: { data: { error } },
    });
  });

  it('applies permissions and step-up', async () => {
    expect(await both('GET', 'orders', bearer(token))).toMatchObject({
      status: 403,
      body: { data: { error: 'permission_denied' } },
    });
    expect(await both('GET', 'fresh', bearer(token))).toMatchObject({
      status: 401,
      body: { data: { error: 'step_up_required' } },
    });
  });

  it('returns the principal, or null without credentials', async () => {
    const seen = (await send('GET', '/host/asked', bearer(token))).body;
    expect(seen).toMatchObject({ whole: { kind: 'account', email: 'ann@example.com' }, headers: { kind: 'account' } });
    expect((await send('GET', '/host/asked', {})).body).toEqual({ whole: null, headers: null });
    expect((await send('GET', '/host/public', bearer('nonsense'))).body).toEqual({ kind: 'guest' });
  });

  it('rejects a revoked session', async () => {
    const other = await signIn();
    expect(await both('GET', 'mine', bearer(other))).toMatchObject({ status: 200 });
    await send('POST', '/api/auth/logout', bearer(other));
    expect(await both('GET', 'mine', bearer(other))).toMatchObject({ status: 401 });
  });

  it('rejects a session without the second factor that a role requires', async () => {
    const content = host.get(Application).get(Content).as('system');
    const roles = content.schema('role');
    const found = (await roles.list({ limit: 100 })).items;
    const [role, admin] = ['user', 'admin'].map((name) => found.find((one) => one['name'] === name));
    // The service refuses changes of roles while there is no administrator.
    await content
      .schema('user')
      .create({ email: 'root@example.com', password: PASSWORD, activated: true, roles: [{ id: admin?.['id'] }] });
    await roles.update(String(role?.['id']), { mfa: 'required' });
    expect(await both('GET', 'mine', bearer(token))).toMatchObject({
      status: 403,
      body: { data: { error: 'mfa_enrollment_required' } },
    });
    await roles.update(String(role?.['id']), { mfa: 'optional' });
    expect(await both('GET', 'mine', bearer(token))).toMatchObject({ status: 200 });
  });

  it('answers 404 below the path of duplicated routes', async () => {
    const tried: Record<string, string>[] = [{}, { 'lintel-host-call': 'x' }, bearer(token)];
    for (const headers of tried) expect((await send('GET', '/api/_host', headers)).status).toBe(404);
  });

  it('provides host providers to modules of the definition', async () => {
    expect((await send('GET', '/api/greeting', {})).body).toEqual({ greeting: 'hello from the host' });
  });

  it('authenticates 16 concurrent requests separately', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) => send('GET', '/host/mine', at % 2 === 0 ? bearer(token) : {})),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: 16 }, (_, at) => (at % 2 === 0 ? 200 : 401)),
    );
  });
});
