import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Body,
  Controller,
  Get,
  HttpException,
  type INestApplication,
  Injectable,
  type LoggerService,
  Module,
  NotFoundException,
  Post,
  type Type,
} from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { IsInt } from 'class-validator';
import { Application } from '../../../src/application/create-app.js';
import { LintelModule } from '../../../src/application/lintel.module.js';
import { CurrentAccount, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import type { AccountPrincipal } from '../../../src/kernel/principal.types.js';
import { UsersService } from '../../../src/identity/users/users.service.js';
import { TEST_ENVIRONMENT } from '../../../src/testing/start-app.js';
import { ADAPTERS } from '../../support/guarded-service.js';
import { TestClient } from '../../support/test-client.js';
import { createDatabase } from '../../support/test-server.js';

const PASSWORD = 'sturdy walnut 47';
const ANN = { email: 'ann@example.com', password: PASSWORD, password_confirmation: PASSWORD };

class CountDto {
  @IsInt()
  count: number;
}

/** A part of the existing application that uses Lintel. */
@Injectable()
class Legacy {
  constructor(private readonly lintel: Application) {}

  async knows(email: string): Promise<boolean> {
    return (await this.lintel.get(UsersService).findByEmail(email)) !== null;
  }
}

/** Its routes declare no access, and accept any body. */
@Controller('legacy')
class LegacyController {
  constructor(private readonly legacy: Legacy) {}

  @Get('known')
  async known(): Promise<object> {
    return { known: await this.legacy.knows(ANN.email) };
  }

  @Post()
  take(@Body() body: CountDto): object {
    return { taken: body, isClass: body instanceof CountDto };
  }

  @Get('broken')
  broken(): never {
    throw new Error('The secret of the legacy.');
  }

  @Get('teapot')
  teapot(): never {
    throw new HttpException({ tea: 'none' }, 418);
  }

  @Get('none')
  none(): never {
    throw new NotFoundException('No soup.');
  }
}

/** Belongs to the definition, so its routes are those of Lintel. */
@Controller('api/acme')
class AcmeController {
  @Get('me')
  @Resource('auth.acme')
  me(@CurrentAccount() { email }: AccountPrincipal): object {
    return { email };
  }
}

@Module({ controllers: [AcmeController] })
class AcmeModule {}

const SILENT: LoggerService = { log() {}, error() {}, warn() {} };

describe.each(ADAPTERS)('an existing application on %s', (kind, adapter) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-host-'));
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let host: INestApplication;
  let plain: INestApplication;

  const environment = (): Record<string, string> => ({
    ...(TEST_ENVIRONMENT as Record<string, string>),
    LOG_LEVEL: 'fatal',
    DATA_DIR: dataDir,
    DATABASE_URL: database.address.url,
  });
  const make = async (imports: object[], providers: Type[], controllers: Type[]): Promise<INestApplication> => {
    @Module({ imports: imports as never, providers: providers, controllers })
    class HostModule {}
    const app = await NestFactory.create(HostModule, adapter() as AbstractHttpAdapter, {
      logger: SILENT,
      abortOnError: false,
    });
    const document = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Legacy').build());
    SwaggerModule.setup('docs', app, document);
    return app;
  };
  const lintel = (prefix: string | readonly string[] = '/api'): object =>
    LintelModule.forRoot({ modules: [AcmeModule] }, { scope: { prefix }, environment: environment() });
  const at = (app: INestApplication, token?: string) => new TestClient(app.getHttpServer() as Server, token);

  beforeAll(async () => {
    database = await createDatabase();
    host = await make([lintel()], [Legacy], [LegacyController]);
    const nobody = { provide: Application, useValue: { get: () => ({ findByEmail: async () => null }) } };
    plain = await make([], [nobody as never, Legacy], [LegacyController]);
    for (const app of [host, plain]) await app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await host?.close();
    await plain?.close();
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const seen = async (
    app: INestApplication,
    method: string,
    path: string,
    body: object | null = null,
  ): Promise<object> => {
    const request = body === null ? {} : { body: JSON.stringify(body) };
    const headers = {
      'content-type': body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json',
    };
    const sent = body instanceof URLSearchParams ? { body: body.toString() } : request;
    const answer = await fetch((await app.getUrl()) + path, { method, ...(body && { headers }), ...sent });
    return { status: answer.status, headers: [...answer.headers.keys()].sort(), text: await answer.text() };
  };

  it.each<[method: string, path: string, body: object | null]>([
    ['GET', '/legacy/teapot', null],
    ['GET', '/legacy/none', null],
    ['GET', '/legacy/broken', null],
    ['GET', '/nowhere', null],
    ['GET', '/apiary', null],
    ['GET', '/dash/', null],
    ['GET', '/healthz', null],
    ['GET', '/docs-json', null],
    ['POST', '/legacy', { count: 'many', more: true }],
    ['POST', '/legacy', new URLSearchParams({ count: '1' })],
    ['PUT', '/legacy', { count: 1 }],
  ])('is not affected outside of the scope: %s %s', async (method, path, body) => {
    expect(await seen(host, method, path, body)).toEqual(await seen(plain, method, path, body));
  });

  it('responds below the scope like Lintel, including errors', async () => {
    const client = at(host);
    expect((await client.post('/api/auth/local/register', ANN)).body).toEqual({ data: { activation: 'auto' } });
    const login = await client.post('/api/auth/local/login', { login: ANN.email, password: PASSWORD }).expect(200);
    const { token } = login.body as { token: string };
    expect((await at(host, token).get('/api/acme/me').expect(200)).body).toEqual({ email: ANN.email });
    const refused = await client.get('/api/acme/me?x=1').expect(401);
    expect(refused.body).toMatchObject({ data: { error: 'token_missing' } });
    expect(refused.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
    expect(refused.headers['x-powered-by']).toBeUndefined();
    expect((await client.get('/api/nowhere').expect(404)).body).toMatchObject({ data: { error: 'route_not_found' } });
    expect((await client.post('/api/auth/local/login', { login: 'x'.repeat(2 ** 21) })).status).toBe(413);
  });

  it('can inject the providers of Lintel', async () => {
    expect(JSON.parse(((await seen(host, 'GET', '/legacy/known')) as { text: string }).text)).toEqual({ known: true });
  });

  it('serves the pages of Lintel if its scope names them', async () => {
    const other = await make([lintel(['/api', '/dash', '/healthz'])], [], []);
    await other.listen(0, '127.0.0.1');
    await at(other).get('/healthz').expect(200);
    await at(other).get('/readyz').expect(404);
    await other.close();
  });

  it('logs its routes that cannot be reached', async () => {
    @Controller(['old', 'api/old'])
    class OldController {
      @Get('list')
      list(): void {}
    }
    const other = await make([lintel()], [], [OldController]);
    await expect(other.init()).rejects.toThrow(
      'OldController at /api/old/list cannot be reached, because its path belongs to the scope of Lintel. Move the route to another path, or list its module in the definition.',
    );
    await other.close();
  });

  it('gets an error at the start if Lintel cannot start, and the database is released', async () => {
    const wrong = LintelModule.forRoot(
      { resources: ['not a name'] },
      { scope: { prefix: '/api' }, environment: environment() },
    );
    await expect(make([wrong], [], [])).rejects.toThrow('"not a name" is not a valid resource name');
  });

  it.each([['/lintel'], ['api'], [[]], [['/dash']], [['/api', '/']]])('rejects the scope %j', (prefix) => {
    expect(() => LintelModule.forRoot({}, { scope: { prefix } })).toThrow(
      /^scope\.prefix of LintelModule must be \/api, or a list of it and others of/,
    );
  });

  it(`responds on ${kind} while another request is aborted`, async () => {
    const aborted = new AbortController();
    const broken = fetch(`${await host.getUrl()}/api/auth/local/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '100' },
      body: '{',
      signal: aborted.signal,
    }).catch(() => null);
    aborted.abort();
    await broken;
    await at(host).get('/api/auth/methods').expect(200);
  });
});

describe('an application context without a server', () => {
  it('can inject the providers of Lintel', async () => {
    const database = await createDatabase();
    const environment = { ...TEST_ENVIRONMENT, LOG_LEVEL: 'fatal', DATABASE_URL: database.address.url };
    @Module({ imports: [LintelModule.forRoot({}, { scope: { prefix: '/api' }, environment })] })
    class HostModule {}
    const context = await NestFactory.createApplicationContext(HostModule, { logger: SILENT, abortOnError: false });
    expect(await context.get(Application).get(UsersService).findByEmail('nobody@example.com')).toBeNull();
    await context.close();
    await database.drop();
  });
});
