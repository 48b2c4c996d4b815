import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { PASSWORD } from '../../support/people.js';
import { signIn } from '../../support/service-users.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(7_200_000);

/** For 200 kills: `IMPORT_KILLS=200 npm test -- test/e2e/content/import-job-crash.spec.ts`. */
const ROUNDS = Number(process.env['IMPORT_KILLS'] ?? 2);
const ROWS = 4_000;
const SCHEMA = { name: 'row', namespace: 'rows', label_field: 'title', fields: [{ type: 'string', name: 'title' }] };

interface Told {
  readonly id: string;
  readonly state: string;
  readonly applied: number;
  readonly created: number;
  readonly removed: number;
}

describe('a service that is killed during background imports', () => {
  const world = useServiceHome({ commandsInOneProcess: true });
  const admin = { email: 'admin@example.com', password: PASSWORD };

  it('continues every accepted import, writes every row once, and undoes all of it', async () => {
    mkdirSync(join(world.home.directory, 'schemas'));
    writeFileSync(join(world.home.directory, 'schemas/row.json'), JSON.stringify(SCHEMA));
    expect(await world.home.run(['schema:apply', 'schemas'])).toMatchObject({ code: 0 });
    const env = { RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'fatal', AUTH_ACCESS_TOKEN_LIFETIME: '86400' };
    let service = await world.home.start({ env });
    await world.home.json('admin:create', '--email', admin.email, '--password', admin.password);
    const token = await signIn(service, admin);
    const database = await new DataSource({ type: 'postgres', url: world.home.env['DATABASE_URL']! }).initialize();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' };
    const ask = async (path: string, init: RequestInit = {}): Promise<Told | null> => {
      const answer = await fetch(`${service.url}/api/imports${path}`, { headers, ...init }).catch(() => null);
      if (answer === null || answer.status >= 300) return null;
      return ((await answer.json().catch(() => null)) as { data: Told } | null)?.data ?? null;
    };
    const lastTaken = async (): Promise<Told | null> => {
      const answer = await fetch(`${service.url}/api/imports`, { headers });
      const { data } = (await answer.json()) as { data: Told[] };
      return data.find(({ state }) => state !== 'receiving') ?? null;
    };
    const settled = async (id: string, states: readonly string[]): Promise<Told> => {
      for (;;) {
        const job = await ask(`/${id}`);
        if (job !== null && states.includes(job.state)) return job;
        await delay(50);
      }
    };
    const killIn = async (ms: number): Promise<void> => {
      await delay(ms);
      service.signal('SIGKILL');
      await service.exit;
      service = await world.home.start({ env });
    };
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const body = ['title', ...Array.from({ length: ROWS }, (_, at) => `${round} ${at}`)].join('\n');
        let taken: Told | null = null;
        const sending = ask('?schema=rows&apply=true', { method: 'POST', body }).then((job) => (taken = job));
        await Promise.all([killIn(randomInt(20, 700)), sending]);
        // After a lost response, a client must check whether the import was accepted before it retries.
        const job = (taken ?? (await lastTaken()) ?? (await ask('?schema=rows&apply=true', { method: 'POST', body })))!;
        if (randomInt(2) === 0) await killIn(randomInt(20, 700));
        expect(await settled(job.id, ['done'])).toMatchObject({ applied: ROWS, created: ROWS });
        const rows = await database.query<object[]>(
          `SELECT count(*)::int AS n, count(DISTINCT title)::int AS titles FROM rows WHERE deleted_at IS NULL`,
        );
        expect(rows).toEqual([{ n: ROWS, titles: ROWS }]);
        await ask(`/${job.id}/undo`, {
          method: 'POST',
          body: '{}',
          headers: { ...headers, 'content-type': 'application/json' },
        });
        await killIn(randomInt(20, 500));
        expect(await settled(job.id, ['undone'])).toMatchObject({ removed: ROWS });
        expect(await database.query('SELECT count(*)::int AS n FROM rows WHERE deleted_at IS NULL')).toEqual([
          { n: 0 },
        ]);
        await database.query('TRUNCATE rows, background_operations CASCADE');
      }
    } finally {
      await database.destroy();
    }
  });
});
