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

/** Writes down who did what, in the transaction that does it (ADR 0045). */
@Injectable()
export class AuditTrail {
  /** Whether anything is written down. */
  readonly isOn: boolean;

  constructor(@Inject(CONFIG) config: Config) {
    this.isOn = config.audit.keepDays > 0;
  }

  /** Writes events down in the transaction of the manager, by one statement. */
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

/**
 * Returns what writes down which migrations were applied or reverted. Of a database in which nothing has happened yet nothing is
 * told, and neither is it where the log itself is not there.
 *
 * @param actor who does it: {@link OPERATOR} or {@link SERVICE}.
 */
export function tellMigrations(config: Config, actor: string): OnMigrated {
  const trail = new AuditTrail(config);
  return async (manager, { what, names }) => {
    for (const asked of [IS_WRITTEN, HAS_EVENTS])
      if ((await manager.query<[{ readonly found: boolean }]>(asked))[0].found !== true) return;
    const action = what === 'applied' ? 'migration.apply' : 'migration.revert';
    await trail.write(manager, { action, actor, resource: 'database', changes: factsOf({ names }), at: new Date() });
  };
}
