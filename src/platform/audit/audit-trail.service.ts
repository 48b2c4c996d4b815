import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import type { OnMigrated } from '../database/database.public.js';
import { auditValues, defineAuditActions, factsOf, INSERT_EVENTS } from './audit-event.js';
import type { AuditEvent } from './audit.types.js';

const ACTIONS = defineAuditActions('Migrations', {
  'migration.apply': 'Migrations were applied, by the start of another version or by a command: `names` says which.',
  'migration.revert': 'A migration was reverted: `names` says which.',
});

declare module './audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** Writes audit events in the transaction of the audited change (ADR 0045). */
@Injectable()
export class AuditTrail {
  /** False if `AUDIT_KEEP_DAYS` is 0. */
  readonly isOn: boolean;

  constructor(@Inject(CONFIG) config: Config) {
    this.isOn = config.audit.keepDays > 0;
  }

  async write(manager: EntityManager, ...events: readonly AuditEvent[]): Promise<void> {
    if (!this.isOn || events.length === 0) return;
    const rows = events.map(auditValues);
    await manager.query(
      INSERT_EVENTS,
      (rows[0] ?? []).map((_, column) => rows.map((row) => row[column])),
    );
  }
}

const IS_WRITTEN = `SELECT to_regclass('audit_events') IS NOT NULL AS found`;
const HAS_EVENTS = 'SELECT EXISTS (SELECT 1 FROM audit_events) AS found';

/** Records applied and reverted migrations, unless the audit log does not exist or has no events yet. */
export function tellMigrations(config: Config, actor: string): OnMigrated {
  const trail = new AuditTrail(config);
  return async (manager, { what, names }) => {
    for (const query of [IS_WRITTEN, HAS_EVENTS])
      if ((await manager.query<[{ readonly found: boolean }]>(query))[0].found !== true) return;
    const action = what === 'applied' ? 'migration.apply' : 'migration.revert';
    await trail.write(manager, { action, actor, resource: 'database', changes: factsOf({ names }), at: new Date() });
  };
}
