import { applicationTables } from '../../../src/app.module.js';
import { Injectable, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createDataSource } from '../../../src/platform/database/connections/data-source.js';
import { DatabaseReadOnlyError } from '../../../src/platform/database/connections/database-connection.errors.js';
import { Migrator } from '../../../src/platform/database/migrations/migrator.js';
import { OnPreUserRegister } from '../../../src/identity/registration-policy/on-pre-user-register.decorator.js';
import type { RegistrationInput } from '../../../src/identity/registration-policy/registration-input.types.js';
import { makeMagazine } from '../../support/content-fixture.js';
import { until } from '../../support/mailbox.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** A hook that queries the database, as custom hooks do. */
@Injectable()
class SlowHook {
  constructor(private readonly dataSource: DataSource) {}

  @OnPreUserRegister()
  async check({ email }: RegistrationInput): Promise<void> {
    if (email.startsWith('slow')) await this.dataSource.query('SELECT pg_sleep(20)');
    if (email.startsWith('wrapped')) {
      await this.dataSource.query('SELECT pg_sleep(20)').catch((cause: unknown) => {
        throw new Error('The list of guests cannot be read.', { cause });
      });
    }
  }
}

@Module({ providers: [SlowHook] })
class SlowHookModule {}

const BATCH = { operations: [{ op: 'create', schema: 'post', data: { title: 'one' } }] };
const UNAVAILABLE = { code: '503', message: expect.any(String), data: { error: 'database_unavailable' } };

describe('an unavailable database', () => {
  const world = useTestApp({ modules: [SlowHookModule] });
  let root: TestClient;
  let other: DataSource;
  let name: string;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    other = await createDataSource({
      address: world.app.connection.address,
      entities: [],
      poolSize: 3,
      statementTimeoutMs: 0,
    }).initialize();
    const [row] = await other.query<{ name: string }[]>('SELECT current_database() AS name');
    name = row!.name;
  });

  afterAll(async () => {
    await other.destroy();
  });

  const register = (email: string) =>
    world.app
      .asGuest()
      .post('/api/auth/local/register', { email, password: PASSWORD, password_confirmation: PASSWORD });
  const login = (email: string) =>
    world.app.asGuest().post('/api/auth/local/login', { login: email, password: PASSWORD });

  async function endSessions(where: string): Promise<number> {
    const ended = await other.query<unknown[]>(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${where}`,
    );
    return ended.length;
  }

  /** Ends the session of a request that waits for a table, and returns the response. */
  async function lostWhileWaiting(
    table: string,
    request: PromiseLike<{ status: number; body: unknown; headers: object }>,
  ) {
    const holder = other.createQueryRunner();
    await holder.startTransaction();
    await holder.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const answer = Promise.resolve(request);
    await until(async () => (await endSessions(`wait_event_type = 'Lock'`)) > 0, `the request to wait for ${table}`);
    const { status, body, headers } = await answer;
    await holder.rollbackTransaction();
    await holder.release();
    expect(headers).toHaveProperty('retry-after', '1');
    return { status, body };
  }

  it('returns 503 if the connection is lost in a transaction', async () => {
    const nested = { title: 'nested', category: { title: 'new' } };
    for (const [table, request] of [
      ['categorys', () => root.post('/api/content/posts', nested)],
      ['posts', () => root.post('/api/content/posts', [{ title: 'one' }, { title: 'two' }])],
      ['posts', () => root.post('/api/batch', BATCH)],
      ['schema_versions', () => root.post('/api/schema', schema('later'))],
      ['users', () => register('waiting@example.com')],
    ] as const) {
      expect(await lostWhileWaiting(table, request())).toEqual({ status: 503, body: UNAVAILABLE });
    }
    await register('waiting@example.com').expect(201);
    await root.post('/api/content/posts', nested).expect(201);
  });

  it.each(['slow', 'wrapped'])('returns 503 if a hook loses it, not the error of the hook: %s', async (kind) => {
    const answer = Promise.resolve(register(`${kind}@example.com`));
    await until(async () => (await endSessions(`query LIKE '%pg_sleep(20)%'`)) > 0, 'the hook to ask');
    const { status, body } = await answer;
    expect({ status, body }).toEqual({ status: 503, body: UNAVAILABLE });
  });

  it('discards a read-only connection', async () => {
    const person = await createPerson(world.app);
    await Promise.all(
      Array.from({ length: 10 }, () =>
        world.app.sql(`SELECT set_config('default_transaction_read_only', 'on', false), pg_sleep(0.2)`),
      ),
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => login(person.email)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of refused) expect({ status, body }).toEqual({ status: 503, body: UNAVAILABLE });
    let tries = 0;
    while ((await login(person.email)).status !== 200) tries += 1;
    expect(tries).toBeLessThanOrEqual(10);
    for (let round = 0; round < 10; round += 1) await login(person.email).expect(200);
  });

  it('is not ready while it is read-only; reads still work, and everything recovers', async () => {
    const person = await createPerson(world.app);
    await other.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await endSessions('true');
    try {
      await until(
        async () => (await world.app.asGuest().get('/readyz')).body.message?.includes('does not accept writes'),
        'it to say so',
      );
      expect((await world.app.asGuest().get('/readyz').expect(503)).body.data).toEqual({ error: 'not_ready' });
      await root.get('/api/auth/me').expect(200);
      await root.get('/api/content/posts').expect(200);
      for (let round = 0; round < 3; round += 1) {
        for (const request of [
          login(person.email),
          register('reader@example.com'),
          root.post('/api/content/posts', { title: 'one' }),
          root.post('/api/content/posts', [{ title: 'one' }, { title: 'two' }]),
          root.post('/api/schema', schema('never')),
          world.app.asGuest().post('/api/auth/local/recover', { email: person.email }),
        ]) {
          const { status, body, headers } = await request;
          expect({ status, body }).toEqual({ status: 503, body: UNAVAILABLE });
          expect(headers['retry-after']).toBe('1');
        }
      }
      await expect(new Migrator(world.app.connection.address, applicationTables().migrations).up()).rejects.toThrow(
        DatabaseReadOnlyError,
      );
      await world.app.asGuest().get('/healthz').expect(200);
    } finally {
      const writer = other.createQueryRunner();
      await writer.query('SET default_transaction_read_only = off');
      await writer.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
      await writer.release();
      await endSessions('true');
    }
    await until(async () => (await world.app.asGuest().get('/readyz')).status === 200, 'it to be ready');
    await login(person.email).expect(200);
    await register('reader@example.com').expect(201);
  });

  it('is logged with its SQLSTATE, and not as an internal error', () => {
    const lines = world.app.log.map((line) => JSON.parse(line) as { level: number; reason?: string });
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
    expect(lines.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['57P01', '25006']));
  });
});
