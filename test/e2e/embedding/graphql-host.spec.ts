import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable, type INestApplication, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GraphQLModule, Mutation, Query, Resolver } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { LintelAuthGuard } from '../../../src/application/lintel-auth.guard.js';
import { LintelModule } from '../../../src/application/lintel.module.js';
import {
  Authenticated,
  CurrentAccount,
  CurrentPrincipal,
  Public,
  Resource,
} from '../../../src/identity/auth/access/access.decorators.js';
import type { AccountPrincipal, Principal } from '../../../src/kernel/principal.types.js';
import { TEST_ENVIRONMENT } from '../../../src/testing/start-app.js';
import { TestClient } from '../../support/test-client.js';
import { createDatabase } from '../../support/test-server.js';

const PASSWORD = 'sturdy walnut 47';

@Resolver()
@UseGuards(LintelAuthGuard)
class OrdersResolver {
  @Query(() => String)
  @Authenticated()
  mine(@CurrentAccount() { email }: AccountPrincipal): string {
    return email;
  }

  @Mutation(() => String)
  @Resource('acme.orders.create')
  order(): string {
    return 'ordered';
  }

  @Query(() => String)
  @Public()
  menu(@CurrentPrincipal() { kind }: Principal): string {
    return kind;
  }
}

/** A resolver without a guard on the class. */
@Injectable()
@Resolver()
class UndeclaredResolver {
  @Query(() => String)
  @UseGuards(LintelAuthGuard)
  me(@CurrentAccount() { email }: AccountPrincipal): string {
    return email;
  }
}

describe('GraphQL resolvers of a host', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-graphql-'));
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let host: INestApplication;
  let token: string;

  beforeAll(async () => {
    database = await createDatabase();
    const environment = {
      ...TEST_ENVIRONMENT,
      LOG_LEVEL: 'fatal',
      DATA_DIR: dataDir,
      DATABASE_URL: database.address.url,
    };
    const definition = { resources: ['acme.orders.create'] };
    @Module({
      imports: [
        LintelModule.forRoot(definition, { scope: { prefix: '/api' }, environment }),
        GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, autoSchemaFile: true }),
      ],
      providers: [OrdersResolver, UndeclaredResolver],
    })
    class HostModule {}
    host = await NestFactory.create(HostModule, new FastifyAdapter(), { logger: false, abortOnError: false });
    await host.listen(0, '127.0.0.1');
    const login = { login: 'ann@example.com', password: PASSWORD };
    const person = { email: 'ann@example.com', password: PASSWORD, password_confirmation: PASSWORD };
    await as().post('/api/auth/local/register', person).expect(201);
    token = ((await as().post('/api/auth/local/login', login).expect(200)).body as { token: string }).token;
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const as = (by?: string) => new TestClient(host.getHttpServer() as Server, by);
  const ask = async (query: string, by?: string): Promise<{ data: unknown; errors?: { message: string }[] }> =>
    (await as(by).post('/graphql', { query })).body as never;

  it('have the principal of the request', async () => {
    expect(await ask('{ mine me menu }', token)).toEqual({
      data: { mine: 'ann@example.com', me: 'ann@example.com', menu: 'guest' },
    });
  });

  it('are guarded by their decorators', async () => {
    const denied = (await ask('mutation { order }', token)).errors?.[0]?.message;
    expect(denied).toBe('You do not have permission to do this.');
    for (const query of ['{ mine }', '{ me }', 'mutation { order }']) {
      const { errors, data } = await ask(query);
      expect([query, data, errors?.[0]?.message]).toEqual([query, null, 'No access token was sent. Sign in first.']);
    }
    expect((await ask('{ mine }', 'nonsense')).errors?.[0]?.message).toBe('The token is not valid.');
    expect(await ask('{ menu }')).toEqual({ data: { menu: 'guest' } });
  });
});
