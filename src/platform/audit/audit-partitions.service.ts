import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { poolOf, readDriverFault } from '../database/database.public.js';
import { Scheduled } from '../jobs/job.decorators.js';
import { SERVICE, defineAuditActions } from './audit.public.js';
import { AuditSeals } from './audit-seals.service.js';
import { AuditTrail } from './audit-trail.service.js';

const ACTIONS = defineAuditActions('Audit log', {
  'audit.expire': 'Events before a date were deleted at the end of their retention time.',
});

declare module './audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const DAY_MS = 86_400_000;
const INTERVAL_MS = 3_600_000;
/** Partitions that exist in advance, in days from today. */
const AHEAD = [0, 1, 2];
const OTHER = 'audit_events-other';
/** Plain identifiers have no hyphen, so no schema can use such a name. */
const PARTITION = /^audit_events-(\d{4}-\d{2}-\d{2})$/;
/** Any fixed number: one instance at a time creates or drops partitions. */
const LOCK = 724_150_330;
/** Limit of waiting for a table lock, because all later statements wait behind it. */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = 500`;

const LIST = `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'audit_events'::regclass`;
const NOT_INDEXED = `${LIST} AND to_regclass(quote_ident(c.relname || '_actor')) IS NULL`;
const GUARD = (table: string): string =>
  `CREATE TRIGGER "audit_append_only_whole" BEFORE TRUNCATE ON "${table}" FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`;
const INDEXES = (table: string): readonly string[] =>
  ['resource', 'actor'].map(
    (column) => `CREATE INDEX IF NOT EXISTS "${table}_${column}" ON "${table}" (${column}, at, id)`,
  );
/** SQLSTATEs of a locked table, and of a day whose rows are already in the default partition: they stay there (PostgreSQL Appendix A). */
const RETRYABLE_CODES = new Set(['55P03', '40P01', '23514', '42P07', '42P17']);

@Injectable()
export class AuditPartitions implements OnApplicationBootstrap {
  private readonly logger = new Logger('Audit');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly seals: AuditSeals,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.ensure();
  }

  @Scheduled({ name: 'audit.partitions', everyMs: INTERVAL_MS })
  async sweep(): Promise<void> {
    await this.ensure();
    await this.expire();
    await this.index();
  }

  /** Creates the partitions of the next days. If that is not possible now, events of a day go to the default partition. */
  async ensure(): Promise<void> {
    if (!this.trail.isOn) return;
    const requiredDays = AHEAD.map((days) => dayOf(this.clock.nowMs() + days * DAY_MS));
    const existing = await this.days(this.dataSource.manager);
    for (const day of requiredDays.filter((one) => !existing.includes(one)))
      await this.unlessInUse(() => this.dataSource.transaction((manager) => this.createPartition(manager, day)));
  }

  async expire(): Promise<number> {
    const { keepDays } = this.config.audit;
    if (keepDays === 0) return 0;
    const floor = dayOf(this.clock.nowMs() - keepDays * DAY_MS);
    const dropped = await this.unlessInUse(() => this.dataSource.transaction((manager) => this.drop(manager, floor)));
    return dropped ?? 0;
  }

  /** Indexes the days that are over. Before that, indexes would slow down each event, and events are found by time. */
  async index(): Promise<void> {
    const today = dayOf(this.clock.nowMs());
    const due = (await this.days(this.dataSource.manager, NOT_INDEXED)).filter((day) => day < today);
    if (due.length === 0) return;
    // Without a statement timeout, because indexing a large day can take long.
    const client = poolOf(this.dataSource).createClient({ statementMs: 0, query_timeout: 0 });
    await client.connect();
    try {
      for (const day of due) {
        const statements = [LOCK_TIMEOUT, `SELECT pg_advisory_xact_lock(${LOCK})`, ...INDEXES(`audit_events-${day}`)];
        // One message is one transaction (PostgreSQL §54.2.2.1).
        await this.unlessInUse(() => client.query(statements.join('; ')));
      }
    } finally {
      await client.end();
    }
  }

  private async createPartition(manager: EntityManager, day: string): Promise<void> {
    await manager.query(LOCK_TIMEOUT);
    await manager.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    if ((await this.days(manager)).includes(day)) return;
    const table = `audit_events-${day}`;
    const next = dayOf(Date.parse(day) + DAY_MS);
    // CREATE TABLE … PARTITION OF would block writers from here on; ATTACH locks only briefly.
    await manager.query(`CREATE TABLE "${table}" (LIKE audit_events INCLUDING ALL)`);
    await manager.query(GUARD(table));
    // A writer whose row was routed to the default partition would fail after ATTACH. The lock makes writers wait briefly.
    await manager.query('LOCK TABLE audit_events IN SHARE ROW EXCLUSIVE MODE');
    const bounds = `FROM ('${day} 00:00:00+00') TO ('${next} 00:00:00+00')`;
    await manager.query(`ALTER TABLE audit_events ATTACH PARTITION "${table}" FOR VALUES ${bounds}`);
  }

  private async drop(manager: EntityManager, floor: string): Promise<number> {
    await manager.query(LOCK_TIMEOUT);
    await manager.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const due = (await this.days(manager)).filter((day) => day < floor);
    const otherDue = await this.hasOtherDue(manager, floor);
    if (due.length === 0 && !otherDue) return 0;
    await this.seals.expire(manager, floor);
    for (const day of due) await manager.query(`DROP TABLE "audit_events-${day}"`);
    if (otherDue) {
      await manager.query(`DROP TABLE "${OTHER}"`);
      await manager.query(`CREATE TABLE "${OTHER}" PARTITION OF audit_events DEFAULT`);
      for (const statement of [GUARD(OTHER), ...INDEXES(OTHER)]) await manager.query(statement);
    }
    const facts = { before: floor };
    await this.trail.write(manager, { action: 'audit.expire', actor: SERVICE, resource: 'audit', facts });
    return due.length + (otherDue ? 1 : 0);
  }

  private async hasOtherDue(manager: EntityManager, floor: string): Promise<boolean> {
    const [row] = await manager.query<{ due: boolean | null }[]>(
      `SELECT max(at) < ($1::date)::timestamp AT TIME ZONE 'UTC' AS due FROM "${OTHER}"`,
      [floor],
    );
    return row?.due === true;
  }

  private async days(manager: EntityManager, list = LIST): Promise<readonly string[]> {
    const rows = await manager.query<{ name: string }[]>(list);
    return rows.flatMap(({ name }) => PARTITION.exec(name)?.[1] ?? []);
  }

  private async unlessInUse<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const code = readDriverFault(error)?.code ?? '';
      if (!RETRYABLE_CODES.has(code)) throw error;
      this.logger.debug({ code, msg: 'A partition of the audit log could not be dropped yet.' });
      return undefined;
    }
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
