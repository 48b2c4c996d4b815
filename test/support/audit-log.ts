import { AuditPartitions } from '../../src/platform/audit/audit-partitions.service.js';
import { AuditSeals } from '../../src/platform/audit/audit-seals.service.js';
import { AuditTrail } from '../../src/platform/audit/audit-trail.service.js';
import { type AuditReport, AuditVerification } from '../../src/platform/audit/audit-verification.service.js';
import { until } from './mailbox.js';
import type { TestApp } from './test-app.js';

export interface EventRow {
  readonly actor: string;
  readonly action: string;
  readonly resource: string;
  readonly outcome: string;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly changes: Record<string, unknown>;
}

/** Returns the matching events, oldest first, without ids and timestamps. */
export function eventsOf(app: TestApp, condition: string, parameters: unknown[] = []): Promise<EventRow[]> {
  return app.sql<EventRow>(
    `SELECT actor, action, resource, outcome, address, request_id, changes FROM audit_events WHERE ${condition} ORDER BY at, id`,
    parameters,
  );
}

export const LOCAL = /^(::ffff:)?127\.0\.0\.1$/;

/** The audit log of an application, and an attacker with full database access but without the sealing key. */
export class TamperedLog {
  constructor(readonly app: TestApp) {}

  /** Seals all events. Transactions in other databases of the server also hold back the horizon, so this waits for it. */
  async seal(): Promise<number> {
    const [row] = await this.app.sql<{ now: string }>('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS now');
    const text = 'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS passed';
    await until(async () => (await this.app.sql<{ passed: boolean }>(text, [row!.now]))[0]!.passed, 'the horizon');
    return this.sealNow();
  }

  /** Seals the events below the current horizon. */
  sealNow(): Promise<number> {
    return this.app.get(AuditSeals).seal();
  }

  verify(anchor?: string): Promise<AuditReport> {
    return this.app.get(AuditVerification).verify(anchor);
  }

  async faults(anchor?: string): Promise<string[]> {
    const { faults } = await this.verify(anchor);
    return faults.map(({ fault, id }) => `${fault} ${id}`).sort();
  }

  async write(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1)
      await this.app.get(AuditTrail).write(this.app.database.manager, {
        action: 'role.seed',
        actor: 'operator',
        resource: `test:${at}`,
        changes: { back_slash: { after: 'a\\b ü' } },
        at: this.app.clock.now(),
      });
  }

  /** Runs statements with triggers disabled, as the table owner can. */
  tamper(...statements: readonly string[]): Promise<void> {
    const guards = (state: string): readonly string[] =>
      ['audit_events', 'audit_seals'].map((table) => `ALTER TABLE ${table} ${state} TRIGGER USER`);
    return this.app.database.transaction(async (manager) => {
      for (const statement of [...guards('DISABLE'), ...statements, ...guards('ENABLE')])
        await manager.query(statement);
    });
  }

  async idOf(resource: string): Promise<string> {
    const text = 'SELECT id FROM audit_events WHERE resource = $1 ORDER BY at LIMIT 1';
    return (await this.app.sql<{ id: string }>(text, [resource]))[0]!.id;
  }

  async reset(): Promise<void> {
    await this.app.sql('DROP TABLE IF EXISTS taken, older, old_head');
    const loose = await this.app.sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relname LIKE 'audit_events-%' AND relkind = 'r' AND NOT relispartition`,
    );
    for (const { name } of loose) await this.app.sql(`DROP TABLE "${name}"`);
    await this.tamper(
      'DELETE FROM audit_events',
      'DELETE FROM audit_seals',
      'DELETE FROM audit_head',
      `INSERT INTO audit_head VALUES (1, 0, pg_current_xact_id(), '', '')`,
    );
    await this.app.get(AuditPartitions).ensure();
    for (let seals = 0; seals < 2; seals += 1) {
      await this.write(20);
      await this.seal();
    }
  }
}
