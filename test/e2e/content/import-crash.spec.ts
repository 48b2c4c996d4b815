import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { PASSWORD } from '../../support/people.js';
import { signIn } from '../../support/service-users.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(3_600_000);

/** For 200 kills: `IMPORT_KILLS=200 npm test -- test/e2e/content/import-crash.spec.ts`. */
const ROUNDS = Number(process.env['IMPORT_KILLS'] ?? 4);
const ROWS = 3_000;
const SCHEMA = { name: 'row', namespace: 'rows', label_field: 'title', fields: [{ type: 'string', name: 'title' }] };

describe('a service that is killed during imports', () => {
  const world = useServiceHome({ commandsInOneProcess: true });
  const admin = { email: 'admin@example.com', password: PASSWORD };

  it('has all or no records of a file and every acknowledged one, and leaves no temporary data', async () => {
    const temporary = join(world.home.directory, 'tmp');
    mkdirSync(temporary);
    mkdirSync(join(world.home.directory, 'schemas'));
    writeFileSync(join(world.home.directory, 'schemas/row.json'), JSON.stringify(SCHEMA));
    expect(await world.home.run(['schema:apply', 'schemas'])).toMatchObject({ code: 0 });
    const env = {
      RATE_LIMIT_ENABLED: 'false',
      LOG_LEVEL: 'error',
      AUTH_ACCESS_TOKEN_LIFETIME: '86400',
      TMPDIR: temporary,
    };
    let service = await world.home.start({ env });
    await world.home.json('admin:create', '--email', admin.email, '--password', admin.password);
    const token = await signIn(service, admin);
    const database = await new DataSource({ type: 'postgres', url: world.home.env['DATABASE_URL']! }).initialize();
    const done = new Set<string>();
    const send = async (file: string): Promise<void> => {
      const lines = Array.from({ length: ROWS }, (_, at) => `${file} ${at}`);
      const body = ['title', ...lines].join('\n');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' };
      const answer = await fetch(`${service.url}/api/content/rows/import`, { method: 'POST', headers, body }).catch(
        () => null,
      );
      if (answer?.status === 200) done.add(file);
    };
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const work = [send(`${round}a`), delay(randomInt(200)).then(() => send(`${round}b`))];
        await delay(randomInt(20, 900));
        service.signal('SIGKILL');
        await Promise.all([service.exit, ...work]);
        service = await world.home.start({ env });
        const found = await database.query<{ file: string; n: number }[]>(
          `SELECT split_part(title, ' ', 1) AS file, count(*)::int AS n FROM rows GROUP BY 1`,
        );
        expect(found.filter(({ n }) => n !== ROWS)).toEqual([]);
        expect(found.map(({ file }) => file)).toEqual(expect.arrayContaining([...done]));
        // At worst, an empty file remains: the name is removed before the first byte is written.
        expect(readdirSync(temporary).filter((name) => statSync(join(temporary, name)).size > 0)).toEqual([]);
      }
    } finally {
      await database.destroy();
    }
  });
});
