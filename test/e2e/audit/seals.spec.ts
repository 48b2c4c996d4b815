import { KeyRing } from '../../../src/kernel/key-ring.js';
import { AuditPartitions } from '../../../src/platform/audit/audit-partitions.service.js';
import { AuditSeals } from '../../../src/platform/audit/audit-seals.service.js';
import type { AuditReport } from '../../../src/platform/audit/audit-verification.service.js';
import { AuditVerification } from '../../../src/platform/audit/audit-verification.service.js';
import { AuditTrail } from '../../../src/platform/audit/audit-trail.service.js';
import { TestApp } from '../../support/test-app.js';
import { TestClock } from '../../support/test-clock.js';
import { TEST_ENVIRONMENT } from '../../../src/test-parts.js';

/** What a superuser does who is not stopped by a trigger. */
const UNGUARDED = 'SET LOCAL session_replication_role = replica';
const DAY_SECONDS = 86_400;

describe('the seals of the audit log', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.start();
    await write(20);
    await seal();
    await write(20);
    await seal();
  });
  afterEach(() => app.stop());

  const seal = (): Promise<number> => app.get(AuditSeals).seal();
  const verify = (anchor?: string): Promise<AuditReport> => app.get(AuditVerification).verify(anchor);
  const write = async (count: number, app_ = app): Promise<void> => {
    for (let at = 0; at < count; at += 1)
      await app_.get(AuditTrail).write(app_.database.manager, {
        action: 'role.seed',
        actor: 'operator',
        resource: `test:${at}`,
        changes: { back_slash: { after: 'a\\b ü' } },
        at: app_.clock.now(),
      });
  };
  /** Changes the database as somebody does who may do everything there, and has no key of ours. */
  const tamper = (...statements: readonly string[]): Promise<void> =>
    app.database.transaction(async (manager) => {
      await manager.query(UNGUARDED);
      for (const statement of statements) await manager.query(statement);
    });
  const idOf = async (resource: string): Promise<string> =>
    (await app.sql<{ id: string }>('SELECT id FROM audit_events WHERE resource = $1 ORDER BY at LIMIT 1', [resource]))[0]!.id;
  const named = ({ faults }: AuditReport): string[] => faults.map(({ fault, id }) => `${fault} ${id}`).sort();

  it('vouch for everything that was written, and say what is too new', async () => {
    const report = await verify();
    expect(report).toMatchObject({ faults: [], unsealed: 0 });
    expect(report.events).toBeGreaterThanOrEqual(40);
    expect(report.seals).toBeGreaterThanOrEqual(2);
    await write(3);
    expect(await verify()).toMatchObject({ faults: [], unsealed: 3 });
    await seal();
    expect(await verify(report.anchor)).toMatchObject({ faults: [], unsealed: 0 });
  });

  it.each([
    ['actor', `actor = 'account:somebody'`],
    ['time', `at = at - interval '1 millisecond'`],
    ['outcome', `outcome = 'invalid_credentials'`],
    ['address', `address = '192.0.2.1'`],
    ['what stands between two columns', `actor = 'operato', action = 'r' || action`],
    ['transaction', `xid = (xid::text::bigint - 1)::text::xid8`],
    ['changes', `changes = '{}'`],
  ])('name an event whose %s was changed', async (_what, assignment) => {
    const id = await idOf('test:7');
    await tamper(`UPDATE audit_events SET ${assignment} WHERE id = '${id}'`);
    expect(named(await verify())).toEqual([`event_changed ${id}`]);
  });

  it('name an event whose hash was made to fit', async () => {
    const id = await idOf('test:7');
    await tamper(
      'ALTER TABLE audit_events ALTER content_hash DROP EXPRESSION',
      `UPDATE audit_events SET actor = 'x' WHERE id = '${id}'`,
    );
    expect(named(await verify())).toEqual([`event_changed ${id}`]);
  });

  it('name events that were removed, and those that were put among them', async () => {
    const [one, other] = [await idOf('test:3'), await idOf('test:4')];
    await tamper(
      `CREATE TABLE taken AS SELECT * FROM audit_events WHERE id = '${one}'`,
      `DELETE FROM audit_events WHERE id IN ('${one}', '${other}')`,
    );
    expect(named(await verify())).toEqual([`event_removed ${one}`, `event_removed ${other}`].sort());
    const added = '01900000-0000-7000-8000-000000000001';
    const columns = 'actor, action, resource, outcome, changes';
    await tamper(
      `INSERT INTO audit_events (id, at, xid, ${columns}) SELECT '${added}', at, xid, ${columns} FROM taken`,
    );
    expect(named(await verify())).toEqual(
      [`event_added ${added}`, `event_removed ${one}`, `event_removed ${other}`].sort(),
    );
  });

  it('name everything that a day has lost by an older copy of it', async () => {
    const day = app.clock.now().toISOString().slice(0, 10);
    const table = `"audit_events-${day}"`;
    await app.sql(`CREATE TABLE older AS SELECT * FROM ${table}`);
    await write(2);
    await seal();
    const newer = await app.sql<{ id: string }>(`SELECT id FROM audit_events WHERE id NOT IN (SELECT id FROM older)`);
    const columns = 'id, at, xid, actor, action, resource, outcome, address, request_id, key_id, changes';
    await tamper(`DELETE FROM ${table}`, `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM older`);
    expect(newer.length).toBe(2);
    expect(named(await verify())).toEqual(newer.map(({ id }) => `event_removed ${id}`).sort());
  });

  it('name the events of two days that were exchanged, and of one that was taken out', async () => {
    app.clock.advance(DAY_SECONDS);
    await write(2);
    await seal();
    const day = app.clock.now().toISOString().slice(0, 10);
    expect(await verify()).toMatchObject({ faults: [] });
    await app.sql(`ALTER TABLE audit_events DETACH PARTITION "audit_events-${day}"`);
    const gone = await app.sql<{ id: string }>(`SELECT id FROM "audit_events-${day}"`);
    expect(named(await verify())).toEqual(gone.map(({ id }) => `event_removed ${id}`).sort());
    const next = new Date(app.clock.nowMs() + DAY_SECONDS * 1_000).toISOString().slice(0, 10);
    await tamper(`UPDATE "audit_events-${day}" SET at = at - interval '1 day'`);
    await app.sql(`INSERT INTO audit_events (id, at, xid, actor, action, resource, outcome, changes)
      SELECT id, at, xid, actor, action, resource, outcome, changes FROM "audit_events-${day}"`);
    expect(next > day).toBe(true);
    expect(named(await verify())).toEqual(
      gone.flatMap(({ id }) => [`event_removed ${id}`, `event_added ${id}`]).sort(),
    );
  });

  it('are missed if the newest of them is deleted, with what it sealed or without', async () => {
    const { anchor } = await verify();
    const newest = anchor.split(':')[0]!;
    await tamper(`DELETE FROM audit_seals WHERE seq = ${newest}`);
    expect(named(await verify())).toContain(`seal_missing ${newest}`);
    await tamper('DELETE FROM audit_events WHERE at > (SELECT max(at) - interval $$10 ms$$ FROM audit_events)');
    expect(named(await verify())).toContain(`seal_missing ${newest}`);
  });

  it('are missed if what names the newest was put back with them, by their anchor alone', async () => {
    await app.sql('CREATE TABLE old_head AS SELECT * FROM audit_head');
    await write(5);
    await seal();
    const { anchor } = await verify();
    const newest = anchor.split(':')[0]!;
    const head = ['seq', 'horizon', 'hash', 'mac'].map((name) => `${name} = (SELECT ${name} FROM old_head)`).join(', ');
    await tamper(
      `DELETE FROM audit_events WHERE id = ANY((SELECT ids FROM audit_seals WHERE seq = ${newest})::uuid[])`,
      `DELETE FROM audit_seals WHERE seq = ${newest}`,
      `UPDATE audit_head SET ${head}`,
    );
    expect((await verify()).faults).toEqual([]);
    expect(named(await verify(anchor))).toEqual([`seal_missing ${newest}`]);
    await write(1);
    await seal();
    expect(named(await verify(anchor))).toEqual([`seal_changed ${newest}`]);
  });

  it('cannot be made anew by whoever has no key', async () => {
    const id = await idOf('test:7');
    await tamper(
      `UPDATE audit_events SET actor = 'account:x' WHERE id = '${id}'`,
      `UPDATE audit_seals s SET hashes = (SELECT array_agg(e.content_hash ORDER BY e.id) FROM audit_events e WHERE e.id = ANY(s.ids))`,
      `UPDATE audit_seals SET root = encode(sha256((SELECT string_agg(uuid_send(u.id) || u.hash, ''::bytea ORDER BY u.id)
         FROM unnest(ids, hashes) AS u(id, hash))), 'hex')`,
    );
    const faults = named(await verify());
    expect(faults.filter((fault) => fault.startsWith('seal_changed')).length).toBeGreaterThanOrEqual(1);
  });

  it('are missed in the middle, and told if one takes the place of another', async () => {
    await write(2);
    await seal();
    const [first] = await app.sql<{ seq: string }>('SELECT min(seq)::text AS seq FROM audit_seals');
    const second = String(BigInt(first!.seq) + 1n);
    await tamper(`DELETE FROM audit_seals WHERE seq = ${second}`);
    expect(named(await verify())).toContain(`seal_missing ${second}`);
    await tamper(`DELETE FROM audit_seals WHERE seq = ${first!.seq}`);
    expect((await verify()).faults.map(({ fault }) => fault)).toContain('seal_missing');
  });

  it.each([
    `UPDATE audit_seals SET mac = ''`,
    'DELETE FROM audit_seals',
    'TRUNCATE audit_seals',
    `UPDATE audit_seals SET day = day - 400`,
  ])('are append-only, too: the database refuses %s', async (statement) => {
    await expect(app.sql(statement)).rejects.toThrow('append-only');
  });

  it('tell if what names the newest was changed, or is gone', async () => {
    await app.sql('UPDATE audit_head SET seq = seq - 1');
    expect(named(await verify())).toEqual([expect.stringMatching(/^head_changed/)]);
    await app.sql('DELETE FROM audit_head');
    expect(named(await verify())).toEqual(expect.arrayContaining([expect.stringMatching(/^head_changed/)]));
  });

  it.each([
    ['was changed', 'UPDATE audit_head SET seq = seq - 1'],
    ['is gone', 'DELETE FROM audit_head'],
    ['lost its seal', `DELETE FROM audit_seals WHERE seq = (SELECT seq FROM audit_head)`],
  ])('never heal what somebody broke: the newest %s', async (_what, statement) => {
    await tamper(statement);
    await write(2);
    await seal();
    await write(2);
    await seal();
    const broken = named(await verify());
    expect(broken.filter((fault) => fault.startsWith('seal_missing')).length).toBeGreaterThanOrEqual(1);
    expect(app.log.join('')).not.toContain('duplicate key');
  });

  it('wait for transactions that are still open, and miss none of 64 that write at once', async () => {
    const open = app.database.createQueryRunner();
    await open.startTransaction();
    await app.get(AuditTrail).write(open.manager, {
      action: 'role.seed',
      actor: 'operator',
      resource: 'test:late',
      at: app.clock.now(),
    });
    await Promise.all([
      ...Array.from({ length: 64 }, async (_, at) => {
        await write(1);
        if (at % 8 === 0) await seal();
      }),
      seal(),
      seal(),
    ]);
    await seal();
    expect((await verify()).unsealed).toBeGreaterThanOrEqual(64);
    await open.commitTransaction();
    await open.release();
    await Promise.all([seal(), seal(), seal(), seal()]);
    expect(await verify()).toMatchObject({ faults: [], unsealed: 0 });
    const [row] = await app.sql<{ seals: number; distinct: number }>(
      'SELECT count(*)::int AS seals, count(DISTINCT previous)::int AS distinct FROM audit_seals',
    );
    expect(row?.distinct).toBe(row?.seals);
  });

  it('are dropped with the days whose time is over, and vouch for the rest', async () => {
    const { anchor } = await verify();
    app.clock.advance(60 * DAY_SECONDS);
    await app.get(AuditPartitions).ensure();
    await write(4);
    await seal();
    app.clock.advance(40 * DAY_SECONDS);
    await app.get(AuditPartitions).sweep();
    const [left] = await app.sql<{ count: number }>(`SELECT count(*)::int AS count FROM audit_events WHERE action = 'role.seed'`);
    expect(left?.count).toBe(4);
    await seal();
    expect(await verify(anchor)).toMatchObject({ faults: [] });
    expect(await app.sql(`SELECT 1 FROM audit_events WHERE action = 'audit.expire'`)).toHaveLength(1);
    const id = await idOf('test:2');
    await tamper(`DELETE FROM audit_events WHERE id = '${id}'`);
    expect(named(await verify())).toEqual([`event_removed ${id}`]);
    await app.get(AuditPartitions).sweep();
    app.clock.advance(200 * DAY_SECONDS);
    await app.get(AuditPartitions).sweep();
    await seal();
    expect(await verify()).toMatchObject({ faults: [] });
  });

  it('hold over a change of APP_KEY, with the key before and without it', async () => {
    const key = 'another key of the service, of 32 bytes or more';
    const before = TEST_ENVIRONMENT['APP_KEY']!;
    const beside = await app.secondInstance({ env: { APP_KEY: key, APP_KEY_PREVIOUS: before } });
    const without = await app.secondInstance({ env: { APP_KEY: key } });
    try {
      expect((await without.get(AuditVerification).verify()).faults.map(({ fault }) => fault)).toEqual(['key_missing']);
      expect(await beside.get(AuditVerification).verify()).toMatchObject({ faults: [] });
      await write(3, beside);
      await beside.get(AuditSeals).seal();
      expect(await beside.get(AuditVerification).verify()).toMatchObject({ faults: [] });
      // A newer seal stands on all before it.
      expect(await without.get(AuditVerification).verify()).toMatchObject({ faults: [] });
      const id = await idOf('test:1');
      await tamper(`DELETE FROM audit_events WHERE id = '${id}'`);
      expect(named(await without.get(AuditVerification).verify())).toEqual([`event_removed ${id}`]);
    } finally {
      await beside.stop();
      await without.stop();
    }
  });

  it('go on in another cluster, whose transactions count from the beginning', async () => {
    const [head] = await app.sql<{ seq: string; hash: string }>('SELECT seq::text, hash FROM audit_head');
    const horizon = '900000000000000';
    const mac = app
      .get(KeyRing)
      .mac({ name: 'audit-seal', onKeyChange: 'survives' })
      .sign(`head ${head!.seq} ${horizon} ${head!.hash}`);
    await app.sql('UPDATE audit_head SET horizon = $1::xid8, mac = $2', [horizon, mac]);
    await write(3);
    await seal();
    const report = await verify();
    expect(report.unsealed).toBe(0);
    expect(report.faults).toEqual([]);
  });
});

describe('days of the audit log', () => {
  it('that have no partition are kept all the same, and dropped in their time', async () => {
    const app = await TestApp.start({ clock: new TestClock(new Date('2031-05-05T10:00:00Z')) });
    try {
      app.clock.advance(30 * DAY_SECONDS);
      const event = { action: 'role.seed', actor: 'operator', resource: 'test:far' } as const;
      await app.get(AuditTrail).write(app.database.manager, { ...event, at: app.clock.now() });
      await app.get(AuditPartitions).ensure();
      expect(await app.sql(`SELECT 1 FROM audit_events WHERE resource = 'test:far'`)).toHaveLength(1);
      await app.get(AuditSeals).seal();
      app.clock.advance(95 * DAY_SECONDS);
      expect(await app.get(AuditPartitions).expire()).toBeGreaterThanOrEqual(2);
      expect(await app.sql(`SELECT 1 FROM audit_events WHERE resource = 'test:far'`)).toHaveLength(0);
      expect(await app.get(AuditVerification).verify()).toMatchObject({ faults: [] });
      await expect(app.sql('TRUNCATE "audit_events-other"')).rejects.toThrow('append-only');
    } finally {
      await app.stop();
    }
  });

  it('get their partition once, of four instances that make it at once', async () => {
    const app = await TestApp.start();
    try {
      app.clock.advance(20 * DAY_SECONDS);
      await Promise.all(Array.from({ length: 4 }, () => app.get(AuditPartitions).ensure()));
      const day = app.clock.now().toISOString().slice(0, 10);
      expect(await app.sql(`SELECT 1 FROM pg_class WHERE relname = 'audit_events-${day}'`)).toHaveLength(1);
    } finally {
      await app.stop();
    }
  });
});
