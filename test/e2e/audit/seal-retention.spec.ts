import { KeyRing } from '../../../src/kernel/keys/key-ring.js';
import { AuditPartitions } from '../../../src/platform/audit/audit-partitions.service.js';
import { AuditTrail } from '../../../src/platform/audit/audit-trail.service.js';
import { AuditVerification } from '../../../src/platform/audit/audit-verification.service.js';
import { TEST_ENVIRONMENT } from '../../../src/testing/start-app.js';
import { TamperedLog } from '../../support/audit-log.js';
import { until } from '../../support/mailbox.js';
import { TestApp, useTestApp } from '../../support/test-app.js';
import { TestClock } from '../../support/test-clock.js';

const DAY_SECONDS = 86_400;

describe('the seals of the audit log', () => {
  const world = useTestApp();
  let app: TestApp;
  let log: TamperedLog;

  beforeAll(() => {
    app = world.app;
    log = new TamperedLog(app);
  });
  beforeEach(() => log.reset());

  it('are deleted with expired days, and still verify the rest', async () => {
    const { anchor } = await log.verify();
    app.clock.advance(60 * DAY_SECONDS);
    await app.get(AuditPartitions).ensure();
    await log.write(4);
    await log.seal();
    app.clock.advance(40 * DAY_SECONDS);
    await app.get(AuditPartitions).sweep();
    const [left] = await app.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM audit_events WHERE action = 'role.seed'`,
    );
    expect(left?.count).toBe(4);
    await log.seal();
    expect(await log.verify(anchor)).toMatchObject({ faults: [] });
    expect(await app.sql(`SELECT 1 FROM audit_events WHERE action = 'audit.expire'`)).toHaveLength(1);
    const id = await log.idOf('test:2');
    await log.tamper(`DELETE FROM audit_events WHERE id = '${id}'`);
    expect(await log.faults()).toEqual([`event_removed ${id}`]);
    await app.get(AuditPartitions).sweep();
    app.clock.advance(200 * DAY_SECONDS);
    await app.get(AuditPartitions).sweep();
    await log.seal();
    expect(await log.verify()).toMatchObject({ faults: [] });
  });

  it('stay valid after a change of APP_KEY, with and without the previous key', async () => {
    const key = 'another key of the service, of 32 bytes or more';
    const before = TEST_ENVIRONMENT['APP_KEY']!;
    const beside = await app.secondInstance({ env: { APP_KEY: key, APP_KEY_PREVIOUS: before } });
    const without = await app.secondInstance({ env: { APP_KEY: key } });
    try {
      expect((await without.get(AuditVerification).verify()).faults.map(({ fault }) => fault)).toEqual(['key_missing']);
      expect(await beside.get(AuditVerification).verify()).toMatchObject({ faults: [] });
      await new TamperedLog(beside).write(3);
      await new TamperedLog(beside).seal();
      expect(await beside.get(AuditVerification).verify()).toMatchObject({ faults: [] });
      // A newer seal covers everything before it.
      expect(await without.get(AuditVerification).verify()).toMatchObject({ faults: [] });
      const id = await log.idOf('test:1');
      await log.tamper(`DELETE FROM audit_events WHERE id = '${id}'`);
      expect(await new TamperedLog(without).faults()).toEqual([`event_removed ${id}`]);
    } finally {
      await beside.stop();
      await without.stop();
    }
  });

  it('continue in another cluster, whose transaction ids start again', async () => {
    const [head] = await app.sql<{ seq: string; hash: string }>('SELECT seq::text, hash FROM audit_head');
    const horizon = '900000000000000';
    const mac = app
      .get(KeyRing)
      .mac({ name: 'audit-seal', onKeyChange: 'survives' })
      .sign(`head ${head!.seq} ${horizon} ${head!.hash}`);
    await app.sql('UPDATE audit_head SET horizon = $1::xid8, mac = $2', [horizon, mac]);
    await log.write(3);
    await log.seal();
    const report = await log.verify();
    expect(report.unsealed).toBe(0);
    expect(report.faults).toEqual([]);
  });
});

describe('days of the audit log', () => {
  it('without a partition are stored as well, and deleted in time', async () => {
    const app = await TestApp.start({ clock: new TestClock(new Date('2031-05-05T10:00:00Z')) });
    try {
      app.clock.advance(30 * DAY_SECONDS);
      const event = { action: 'role.seed', actor: 'operator', resource: 'test:far' } as const;
      await app.get(AuditTrail).write(app.database.manager, { ...event, at: app.clock.now() });
      await app.get(AuditPartitions).ensure();
      expect(await app.sql(`SELECT 1 FROM audit_events WHERE resource = 'test:far'`)).toHaveLength(1);
      await new TamperedLog(app).seal();
      app.clock.advance(95 * DAY_SECONDS);
      expect(await app.get(AuditPartitions).expire()).toBeGreaterThanOrEqual(2);
      expect(await app.sql(`SELECT 1 FROM audit_events WHERE resource = 'test:far'`)).toHaveLength(0);
      expect(await app.get(AuditVerification).verify()).toMatchObject({ faults: [] });
      await expect(app.sql('TRUNCATE "audit_events-other"')).rejects.toThrow('append-only');
      expect(await app.sql(`SELECT 1 FROM pg_indexes WHERE tablename = 'audit_events-other'`)).toHaveLength(4);
    } finally {
      await app.stop();
    }
  });

  it('get their partition during writes, none of which fails', async () => {
    const app = await TestApp.start();
    try {
      const waiting = async (): Promise<number> => {
        const text = `SELECT count(*)::int AS count FROM pg_locks l JOIN pg_stat_activity USING (pid)
          WHERE NOT granted AND datname = current_database()`;
        return (await app.sql<{ count: number }>(text))[0]!.count;
      };
      const holder = app.database.createQueryRunner();
      app.clock.advance(20 * DAY_SECONDS);
      await holder.startTransaction();
      await holder.query('LOCK TABLE "audit_events-other" IN ROW EXCLUSIVE MODE');
      const made = app.get(AuditPartitions).ensure();
      await until(async () => (await waiting()) === 1, 'the partition waits');
      const written = new TamperedLog(app).write(1);
      await until(async () => (await waiting()) === 2, 'the event waits');
      await holder.commitTransaction();
      await holder.release();
      await Promise.all([made, written]);
    } finally {
      await app.stop();
    }
  });

  it('get the index for single records when they are over, so that open days cost nothing', async () => {
    const app = await TestApp.start();
    try {
      const indexed = async (): Promise<string[]> => {
        const text = `SELECT indexname AS name FROM pg_indexes WHERE tablename LIKE 'audit_events-%'
          AND indexname SIMILAR TO '%(actor|resource)' AND tablename <> 'audit_events-other' ORDER BY 1`;
        return (await app.sql<{ name: string }>(text)).map(({ name }) => name);
      };
      const partitions = app.get(AuditPartitions);
      const log = new TamperedLog(app);
      const first = app.clock.now().toISOString().slice(0, 10);
      await log.write(3);
      await partitions.sweep();
      expect(await indexed()).toEqual([]);
      app.clock.advance(DAY_SECONDS);
      await Promise.all(Array.from({ length: 4 }, () => partitions.index()));
      await partitions.sweep();
      expect(await indexed()).toEqual([`audit_events-${first}_actor`, `audit_events-${first}_resource`]);
      await log.write(2);
      const plan = await app.database.transaction(async (manager) => {
        await manager.query('SET LOCAL enable_seqscan = off');
        const text = `EXPLAIN SELECT id FROM audit_events WHERE resource = 'test:1' ORDER BY at DESC, id DESC LIMIT 5`;
        return (await manager.query<{ 'QUERY PLAN': string }[]>(text)).map((row) => row['QUERY PLAN']).join('\n');
      });
      expect(plan).toContain(`audit_events-${first}_resource`);
      await log.seal();
      expect(await log.verify()).toMatchObject({ faults: [] });
    } finally {
      await app.stop();
    }
  });

  it('get their partition once for four instances', async () => {
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
