import { Module } from '@nestjs/common';
import { parseAppConfig } from '../../../src/app.module.js';
import { newId } from '../../../src/kernel/keys/random.js';
import { defineKeyPurpose } from '../../../src/kernel/keys/key-derivation.js';
import { KeyRing } from '../../../src/kernel/keys/key-ring.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { KeyRotation, storedSecrets } from '../../../src/platform/keys/key-rotation.service.js';
import { useMailedApp } from '../../support/mailbox.js';
import { TestApp } from '../../support/test-app.js';
import { enqueue, newAddress, notice, pending } from '../mail/support/mails.js';

const [OLD, NEW] = ['the key before is long enough to be one', 'the key after is long enough to be one'];
const PURPOSE = defineKeyPurpose('rotation.spec', 'survives');
const TABLE = 'rotation_spec_secrets';

/** A module that stores secrets, as the module of second factors does. */
@Module({
  providers: [
    storedSecrets<{ owner: string }>({
      name: 'test.secrets',
      purpose: PURPOSE,
      table: TABLE,
      sealed: 'secret',
      columns: 'owner',
      label: ({ id, owner }) => `${owner}/${id}`,
    }),
  ],
})
class SecretsOfATeam {}

const modules = [SecretsOfATeam];
const rotated = (name: string, counts: object): object => ({ name, unreadable: 0, left: 0, ...counts });

describe('a change of APP_KEY', () => {
  const world = useMailedApp({ env: { APP_KEY: OLD }, modules });
  let after: TestApp;

  beforeAll(async () => {
    const env = { APP_KEY: NEW, APP_KEY_PREVIOUS: OLD, MAIL_URL: world.mailbox.url };
    after = await world.app.secondInstance({ env, modules });
    await world.app.sql(`CREATE TABLE ${TABLE} (id uuid PRIMARY KEY, owner text NOT NULL, secret text)`);
    for (const app of [world.app, after]) jest.spyOn(app.get(JobWorker), 'wake').mockReturnValue(undefined);
  });
  afterEach(() => world.app.sql(`DELETE FROM ${TABLE}`));
  afterAll(async () => {
    await after?.stop();
    jest.restoreAllMocks();
  });

  /** Returns the log lines of both instances. The framework logger is global: it belongs to the newest instance. */
  const logged = (): string[] => [...world.app.log, ...after.log];
  const cipherOf = (app: TestApp) => app.get(KeyRing).cipher(PURPOSE);

  async function store(app: TestApp, count: number): Promise<string[]> {
    const cipher = cipherOf(app);
    const ids = Array.from({ length: count }, newId);
    await world.app.sql(`INSERT INTO ${TABLE} SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[])`, [
      ids,
      ids.map(() => 'ann'),
      ids.map((id) => cipher.seal(`ann/${id}`, { of: id })),
    ]);
    return ids;
  }

  /** Opens the secrets with the new key alone. */
  async function readWithNewKeyAlone(): Promise<unknown[]> {
    const alone = new KeyRing(NEW).cipher(PURPOSE);
    const rows = await world.app.sql<{ id: string; secret: string }>(`SELECT id, secret FROM ${TABLE} ORDER BY id`);
    return rows.map(({ id, secret }) => alone.open(`ann/${id}`, secret));
  }

  describe('of pending mails', () => {
    it('sends those encrypted with the previous key', async () => {
      const to = newAddress();
      await enqueue(world.app, notice(to));
      await after.get(JobWorker).drain();
      expect(world.mailbox.mailsTo(to)).toHaveLength(1);
      expect(await pending(world.app, to)).toBe(0);
    });

    it('leaves those of the new key to other instances: an older one drops none', async () => {
      const to = newAddress();
      await enqueue(after, notice(to));
      await world.app.get(JobWorker).drain();
      expect(world.mailbox.mailsTo(to)).toEqual([]);
      expect(await pending(world.app, to)).toBe(1);
      expect(logged()).toContainEqual(expect.stringContaining('it is encrypted with an unknown APP_KEY'));
      world.app.clock.advance(60);
      await after.get(JobWorker).drain();
      expect(world.mailbox.mailsTo(to)).toHaveLength(1);
    });

    it('drops one that cannot be decrypted after a day', async () => {
      const to = newAddress();
      await enqueue(after, notice(to));
      for (let tries = 0; tries < 60 && (await pending(world.app, to)) > 0; tries += 1) {
        await world.app.get(JobWorker).drain();
        world.app.clock.advance(3_600);
      }
      expect(await pending(world.app, to)).toBe(0);
      expect(world.mailbox.mailsTo(to)).toEqual([]);
      expect(logged().filter((line) => line.includes('"outcome":"unreadable"'))).toHaveLength(1);
    });
  });

  describe('keys:rotate', () => {
    const rotate = (options = {}) => after.get(KeyRotation).rotate(options);

    it('re-encrypts everything, so that the previous key can be removed', async () => {
      const ids = await store(world.app, 450);
      await store(after, 5);
      const to = newAddress();
      world.mailbox.behave('defer-recipient');
      await enqueue(world.app, notice(to));
      expect(await rotate()).toEqual([
        rotated('mail.outbox', { resealed: 1 }),
        rotated('factors.totp', { resealed: 0 }),
        rotated('test.secrets', { resealed: 450 }),
      ]);
      const read = await readWithNewKeyAlone();
      expect(read).toHaveLength(455);
      expect(read).toEqual(expect.arrayContaining(ids.map((id) => ({ of: id }))));
      expect(await rotate()).toEqual([
        rotated('mail.outbox', { resealed: 0 }),
        rotated('factors.totp', { resealed: 0 }),
        rotated('test.secrets', { resealed: 0 }),
      ]);
      world.mailbox.behave('accept');
      await after.get(JobWorker).drain();
      expect(world.mailbox.mailsTo(to)).toHaveLength(1);
    });

    it('only counts with dryRun', async () => {
      await store(world.app, 3);
      const before = await world.app.sql(`SELECT * FROM ${TABLE} ORDER BY id`);
      expect(await rotate({ dryRun: true })).toContainEqual(rotated('test.secrets', { resealed: 3 }));
      expect(await world.app.sql(`SELECT * FROM ${TABLE} ORDER BY id`)).toEqual(before);
    });

    it('keeps what no key decrypts, and reports the number', async () => {
      const [moved, , changed] = await store(world.app, 3);
      await world.app.sql(`UPDATE ${TABLE} SET owner = 'bob' WHERE id = $1`, [moved]);
      await world.app.sql(`UPDATE ${TABLE} SET secret = 'plain' WHERE id = $1`, [changed]);
      await world.app.sql(`INSERT INTO ${TABLE} VALUES ($1, 'ann', NULL)`, [newId()]);
      expect(await rotate()).toContainEqual(rotated('test.secrets', { resealed: 1, unreadable: 2 }));
      const left = await world.app.sql(`SELECT secret FROM ${TABLE} WHERE id = ANY($1)`, [[moved, changed]]);
      expect(left.map(({ secret }) => String(secret).startsWith(`v1.${after.get(KeyRing).keyId}`))).toEqual([
        false,
        false,
      ]);
    });

    it('does not wait for locks, and processes locked rows later', async () => {
      const [held = ''] = await store(world.app, 3);
      let running: Promise<unknown> = Promise.resolve();
      await world.app.database.transaction(async (manager) => {
        await manager.query(`UPDATE ${TABLE} SET owner = owner WHERE id = $1`, [held]);
        running = rotate();
        const count = `SELECT count(*)::int AS count FROM ${TABLE} WHERE secret LIKE $1`;
        const isSealed = async (): Promise<boolean> =>
          (await world.app.sql<{ count: number }>(count, [`v1.${after.get(KeyRing).keyId}.%`]))[0]?.count === 2;
        while (!(await isSealed()));
      });
      expect(await running).toContainEqual(rotated('test.secrets', { resealed: 3 }));
    });

    it('loses no secret that changes meanwhile, and none in two rotations', async () => {
      const ids = await store(world.app, 300);
      const cipher = cipherOf(after);
      const change = async (): Promise<void> => {
        for (const id of ids.slice(0, 60))
          await world.app.sql(`UPDATE ${TABLE} SET secret = $2 WHERE id = $1`, [id, cipher.seal(`ann/${id}`, 'newer')]);
      };
      const [first, second] = await Promise.all([rotate(), rotate(), change()]);
      for (const result of [first, second])
        expect(result).toContainEqual(expect.objectContaining({ name: 'test.secrets', unreadable: 0, left: 0 }));
      const read = await readWithNewKeyAlone();
      expect(read.filter((content) => content === 'newer')).toHaveLength(60);
      expect(read.filter((content) => content === null)).toEqual([]);
    });
  });
});

describe('APP_KEY_PREVIOUS', () => {
  const KEYS = ['x'.repeat(32), 'y'.repeat(40)];

  it.each([KEYS.join(','), ` ${KEYS.join(' , ')} `, JSON.stringify(KEYS)])('accepts several keys: %s', (text) => {
    const { appKeysPrevious } = parseAppConfig({ APP_KEY: NEW, APP_KEY_PREVIOUS: text });
    expect(appKeysPrevious).toEqual(KEYS);
  });

  it.each(['short-sesame', `${'x'.repeat(32)},short-sesame`, '["short-sesame"]', '[1]', '["short-sesame'])(
    'rejects %s without showing it',
    (text) => {
      const parse = (): unknown => parseAppConfig({ APP_KEY: NEW, APP_KEY_PREVIOUS: text });
      expect(parse).toThrow(/APP_KEY_PREVIOUS must/);
      expect(parse).not.toThrow(/sesame/);
    },
  );
});
