import { EVENT_HASH } from '../../../src/platform/audit/audit-seals.service.js';
import { AuditTrail } from '../../../src/platform/audit/audit-trail.service.js';
import { TamperedLog } from '../../support/audit-log.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const DAY_SECONDS = 86_400;

describe('the seals of the audit log', () => {
  const world = useTestApp();
  let app: TestApp;
  let log: TamperedLog;

  beforeAll(async () => {
    app = world.app;
    log = new TamperedLog(app);
    // Background work also creates seals.
    await app.stopBackgroundWork();
  });
  beforeEach(() => log.reset());

  it('verify everything written, and report what is too new', async () => {
    const report = await log.verify();
    expect(report).toMatchObject({ faults: [], unsealed: 0 });
    expect(report.events).toBeGreaterThanOrEqual(40);
    expect(report.seals).toBeGreaterThanOrEqual(2);
    await log.write(3);
    expect(await log.verify()).toMatchObject({ faults: [], unsealed: 3 });
    await log.seal();
    expect(await log.verify(report.anchor)).toMatchObject({ faults: [], unsealed: 0 });
  });

  it('are in numeric order, also from the tenth on', async () => {
    for (let seals = 0; seals < 12; seals += 1) {
      await log.write(1);
      await log.seal();
    }
    const report = await log.verify();
    const [newest] = await app.sql<{ seq: string }>('SELECT max(seq)::text AS seq FROM audit_seals');
    expect(report).toMatchObject({ faults: [], unsealed: 0 });
    expect(report.seals).toBeGreaterThanOrEqual(14);
    expect(report.anchor.split(':')[0]).toBe(newest!.seq);
  });

  it.each([
    ['actor', `actor = 'account:somebody'`],
    ['time', `at = at - interval '1 millisecond'`],
    ['outcome', `outcome = 'invalid_credentials'`],
    ['address', `address = '192.0.2.1'`],
    ['boundary between two columns', `actor = 'operato', action = 'r' || action`],
    ['transaction', `xid = (xid::text::bigint - 1)::text::xid8`],
    ['changes', `changes = '{}'`],
  ])('report an event whose %s was changed', async (_what, assignment) => {
    const id = await log.idOf('test:7');
    await log.tamper(`UPDATE audit_events SET ${assignment} WHERE id = '${id}'`);
    expect(await log.faults()).toEqual([`event_changed ${id}`]);
  });

  it('report deleted events, and inserted ones', async () => {
    const [one, other] = [await log.idOf('test:3'), await log.idOf('test:4')];
    await log.tamper(
      `CREATE TABLE taken AS SELECT * FROM audit_events WHERE id = '${one}'`,
      `DELETE FROM audit_events WHERE id IN ('${one}', '${other}')`,
    );
    expect(await log.faults()).toEqual([`event_removed ${one}`, `event_removed ${other}`].sort());
    const added = '01900000-0000-7000-8000-000000000001';
    const columns = 'actor, action, resource, outcome, changes';
    await log.tamper(
      `INSERT INTO audit_events (id, at, xid, ${columns}) SELECT '${added}', at, xid, ${columns} FROM taken`,
    );
    expect(await log.faults()).toEqual(
      [`event_added ${added}`, `event_removed ${one}`, `event_removed ${other}`].sort(),
    );
  });

  it('report everything that a day has lost by an older copy', async () => {
    const day = app.clock.now().toISOString().slice(0, 10);
    const table = `"audit_events-${day}"`;
    await app.sql(`CREATE TABLE older AS SELECT * FROM ${table}`);
    await log.write(2);
    await log.seal();
    const newer = await app.sql<{ id: string }>(`SELECT id FROM audit_events WHERE id NOT IN (SELECT id FROM older)`);
    const columns = 'id, at, xid, actor, action, resource, outcome, address, request_id, key_id, changes';
    await log.tamper(`DELETE FROM ${table}`, `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM older`);
    expect(newer.length).toBe(2);
    expect(await log.faults()).toEqual(newer.map(({ id }) => `event_removed ${id}`).sort());
  });

  it('report events of two exchanged days, and of a removed day', async () => {
    app.clock.advance(DAY_SECONDS);
    await log.write(2);
    await log.seal();
    const day = app.clock.now().toISOString().slice(0, 10);
    expect(await log.verify()).toMatchObject({ faults: [] });
    await app.sql(`ALTER TABLE audit_events DETACH PARTITION "audit_events-${day}"`);
    const gone = await app.sql<{ id: string }>(`SELECT id FROM "audit_events-${day}"`);
    expect(await log.faults()).toEqual(gone.map(({ id }) => `event_removed ${id}`).sort());
    const next = new Date(app.clock.nowMs() + DAY_SECONDS * 1_000).toISOString().slice(0, 10);
    await log.tamper(`UPDATE "audit_events-${day}" SET at = at - interval '1 day'`);
    await app.sql(`INSERT INTO audit_events (id, at, xid, actor, action, resource, outcome, changes)
      SELECT id, at, xid, actor, action, resource, outcome, changes FROM "audit_events-${day}"`);
    expect(next > day).toBe(true);
    expect(await log.faults()).toEqual(gone.flatMap(({ id }) => [`event_removed ${id}`, `event_added ${id}`]).sort());
  });

  it('are reported missing if the newest is deleted, with or without its events', async () => {
    const { anchor } = await log.verify();
    const newest = anchor.split(':')[0]!;
    await log.tamper(`DELETE FROM audit_seals WHERE seq = ${newest}`);
    expect(await log.faults()).toContain(`seal_missing ${newest}`);
    await log.tamper('DELETE FROM audit_events WHERE at > (SELECT max(at) - interval $$10 ms$$ FROM audit_events)');
    expect(await log.faults()).toContain(`seal_missing ${newest}`);
  });

  it('are reported missing by their anchor if the pointer to the newest was reset', async () => {
    await app.sql('CREATE TABLE old_head AS SELECT * FROM audit_head');
    await log.write(5);
    await log.seal();
    const { anchor } = await log.verify();
    const newest = anchor.split(':')[0]!;
    const head = ['seq', 'horizon', 'hash', 'mac'].map((name) => `${name} = (SELECT ${name} FROM old_head)`).join(', ');
    await log.tamper(
      `DELETE FROM audit_events WHERE id = ANY((SELECT ids FROM audit_seals WHERE seq = ${newest})::uuid[])`,
      `DELETE FROM audit_seals WHERE seq = ${newest}`,
      `UPDATE audit_head SET ${head}`,
    );
    expect((await log.verify()).faults).toEqual([]);
    expect(await log.faults(anchor)).toEqual([`seal_missing ${newest}`]);
    await log.write(1);
    await log.seal();
    expect(await log.faults(anchor)).toEqual([`seal_changed ${newest}`]);
  });

  it('cannot be created without the key', async () => {
    const id = await log.idOf('test:7');
    await log.tamper(
      `UPDATE audit_events SET actor = 'account:x' WHERE id = '${id}'`,
      `UPDATE audit_seals s SET hashes = (SELECT array_agg(${EVENT_HASH} ORDER BY e.id) FROM audit_events e WHERE e.id = ANY(s.ids))`,
      `UPDATE audit_seals SET root = encode(sha256((SELECT string_agg(uuid_send(u.id) || u.hash, ''::bytea ORDER BY u.id)
         FROM unnest(ids, hashes) AS u(id, hash))), 'hex')`,
    );
    const faults = await log.faults();
    expect(faults.filter((fault) => fault.startsWith('seal_changed')).length).toBeGreaterThanOrEqual(1);
  });

  it('are reported missing in the middle, or replaced', async () => {
    await log.write(2);
    await log.seal();
    const [first] = await app.sql<{ seq: string }>('SELECT min(seq)::text AS seq FROM audit_seals');
    const second = String(BigInt(first!.seq) + 1n);
    await log.tamper(`DELETE FROM audit_seals WHERE seq = ${second}`);
    expect(await log.faults()).toContain(`seal_missing ${second}`);
    await log.tamper(`DELETE FROM audit_seals WHERE seq = ${first!.seq}`);
    expect((await log.verify()).faults.map(({ fault }) => fault)).toContain('seal_missing');
  });

  it.each([
    `UPDATE audit_seals SET mac = ''`,
    'DELETE FROM audit_seals',
    'TRUNCATE audit_seals',
    `UPDATE audit_seals SET day = day - 400`,
  ])('are append-only, too: the database rejects %s', async (statement) => {
    await expect(app.sql(statement)).rejects.toThrow('append-only');
  });

  it('report a changed or missing pointer to the newest', async () => {
    await app.sql('UPDATE audit_head SET seq = seq - 1');
    expect(await log.faults()).toEqual([expect.stringMatching(/^head_changed/)]);
    await app.sql('DELETE FROM audit_head');
    expect(await log.faults()).toEqual(expect.arrayContaining([expect.stringMatching(/^head_changed/)]));
  });

  it.each([
    ['was changed', 'UPDATE audit_head SET seq = seq - 1'],
    ['is gone', 'DELETE FROM audit_head'],
    ['lost its seal', `DELETE FROM audit_seals WHERE seq = (SELECT seq FROM audit_head)`],
  ])('are not repaired after a manipulation: the newest %s', async (_what, statement) => {
    await log.tamper(statement);
    await log.write(2);
    await log.seal();
    await log.write(2);
    await log.seal();
    const broken = await log.faults();
    expect(broken.filter((fault) => fault.startsWith('seal_missing')).length).toBeGreaterThanOrEqual(1);
    expect(app.log.join('')).not.toContain('duplicate key');
  });

  it('wait for open transactions, and miss none of 64 concurrent writes', async () => {
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
        await log.write(1);
        if (at % 8 === 0) await log.sealNow();
      }),
      log.sealNow(),
      log.sealNow(),
    ]);
    await log.sealNow();
    expect((await log.verify()).unsealed).toBeGreaterThanOrEqual(64);
    await open.commitTransaction();
    await open.release();
    await Promise.all([log.seal(), log.seal(), log.seal(), log.seal()]);
    expect(await log.verify()).toMatchObject({ faults: [], unsealed: 0 });
    const [row] = await app.sql<{ seals: number; distinct: number }>(
      'SELECT count(*)::int AS seals, count(DISTINCT previous)::int AS distinct FROM audit_seals',
    );
    expect(row?.distinct).toBe(row?.seals);
  });

  it('report an event with a recalculated hash, and its seal', async () => {
    const id = await log.idOf('test:7');
    await log.tamper(
      `UPDATE audit_events SET actor = 'x' WHERE id = '${id}'`,
      `UPDATE audit_seals s SET hashes = (SELECT array_agg(${EVENT_HASH} ORDER BY e.id) FROM audit_events e WHERE e.id = ANY(s.ids))
        WHERE '${id}' = ANY(s.ids)`,
    );
    expect((await log.faults()).filter((fault) => fault.startsWith('seal_changed'))).toHaveLength(1);
  });
});
