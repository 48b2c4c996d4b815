import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PASSWORD } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import { signIn } from '../../support/service-users.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(180_000);

const MANY = 80;
const ROUNDS = 3;
const ENV = { RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'error' };

describe('a service that is killed during a schema change', () => {
  const world = useServiceHome();

  it('has all of it or nothing, and continues from there', async () => {
    const admin = { email: 'admin@example.com', password: PASSWORD };
    let service = await world.home.start({ env: ENV });
    await world.home.json('admin:create', '--email', admin.email, '--password', admin.password);
    const token = await signIn(service, admin);
    const names = async (): Promise<string[]> => {
      const { body } = await service.get<{ data: { schemas: { name: string }[] } }>('/api/schema/export', token);
      return body.data.schemas.map(({ name }) => name);
    };

    for (let round = 0; round < ROUNDS; round += 1) {
      const schemas = Array.from({ length: MANY }, (_, index) =>
        schema(`r${round}_${index}`, [field('int', 'n', { default: 1 }), field('string', 'code', { unique: true })]),
      );
      const before = await names();
      const sent = service.post('/api/schema', { schemas }, token).then(
        ({ status }) => status,
        () => 0,
      );
      await delay(randomInt(50, 900));
      service.signal('SIGKILL');
      await service.exit;
      const status = await sent;

      service = await world.home.start({ env: ENV });
      const added = (await names()).filter((name) => !before.includes(name));
      expect([0, MANY]).toContain(added.length);
      if (status === 201) expect(added).toHaveLength(MANY);
      const again = await service.post('/api/schema', { schemas }, token);
      expect(again.status).toBe(added.length === MANY ? 200 : 201);
      expect(await names()).toHaveLength(before.length + MANY);
    }
  });

  it('has the same state in the database and its files, and reverts nothing that it confirmed', async () => {
    const admin = { email: 'writer@example.com', password: PASSWORD };
    let service = await world.home.start({ env: ENV });
    await world.home.json('admin:create', '--email', admin.email, '--password', admin.password);
    const token = await signIn(service, admin);
    const labelled = (label: string) => ({ ...schema('diary'), fields: [{ type: 'string', name: 'title', label }] });
    let last = '0.0';
    expect((await service.post('/api/schema', labelled(last), token)).status).toBe(201);

    for (let round = 1; round <= ROUNDS; round += 1) {
      const confirmed: string[] = [];
      const writing = (async () => {
        for (let turn = 0; ; turn += 1) {
          const label = `${round}.${turn}`;
          if ((await service.post('/api/schema', labelled(label), token)).status !== 200) return;
          confirmed.push(label);
        }
      })().catch(() => undefined);
      await delay(randomInt(200, 900));
      service.signal('SIGKILL');
      await service.exit;
      await writing;

      service = await world.home.start({ env: ENV });
      const { body } = await service.get<{ data: ReturnType<typeof labelled> }>('/api/schema/diary', token);
      // One more change than confirmed is possible: its response was on the way.
      const possible = [confirmed.at(-1) ?? last, `${round}.${confirmed.length}`];
      last = body.data.fields[0]?.label ?? '';
      expect(possible).toContain(last);
      const file = join(world.home.dataDir, 'schemas', 'diary.json');
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(body.data);
    }
  });
});
