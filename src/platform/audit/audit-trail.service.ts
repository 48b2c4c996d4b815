import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../config/config.types.js';
import type { OnMigrated } from '../database/database.public.js';
import { Clock, SystemClock } from '../../kernel/clock.port.js';
import { accountActor, auditValues, defineAuditActions, factsOf, INSERT_EVENTS } from './audit.public.js';
import type { AuditAction, AuditEvent } from './audit.types.js';

const ACTIONS = defineAuditActions('Migrations', {
  'migration.apply': 'Migrations were applied at startup or by a command. `names` lists them.',
  'migration.revert': 'A migration was reverted. `names` contains its name.',
});

declare module './audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** An event with changed fields, or with facts about it. */
interface NewEvent extends Omit<AuditEvent, 'at'>, Partial<Pick<AuditEvent, 'at'>> {
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** An event of an account. Its actor and its resource are the account, unless they are given. */
type AccountEvent = Partial<Pick<NewEvent, 'actor' | 'resource' | 'outcome' | 'origin' | 'facts'>>;

/** Writes audit events in the transaction of the audited change (ADR 0045). */
@Injectable()
export class AuditTrail {
  /** False if `AUDIT_KEEP_DAYS` is 0. */
  readonly isOn: boolean;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly clock: Clock,
  ) {
    this.isOn = config.audit.keepDays > 0;
  }

  /** Writes events. An event without a timestamp happens now. */
  async write(manager: EntityManager, ...events: readonly NewEvent[]): Promise<void> {
    if (!this.isOn || events.length === 0) return;
    const now = this.clock.now();
    const rows = events.map(({ facts = {}, ...event }) =>
      auditValues({ changes: factsOf(facts), ...event, at: event.at ?? now }),
    );
    await manager.query(
      INSERT_EVENTS,
      (rows[0] ?? []).map((_, column) => rows.map((row) => row[column])),
    );
  }

  /** Writes an event of an account that happens now. */
  async writeFor(
    manager: EntityManager,
    userId: string,
    action: AuditAction,
    { actor = accountActor(userId), resource = `user:${userId}`, ...event }: AccountEvent = {},
  ): Promise<void> {
    await this.write(manager, { ...event, action, actor, resource });
  }
}

const IS_WRITTEN = `SELECT to_regclass('audit_events') IS NOT NULL AS found`;
const HAS_EVENTS = 'SELECT EXISTS (SELECT 1 FROM audit_events) AS found';

/** Records applied and reverted migrations, unless the audit log does not exist or has no events yet. */
export function auditMigrations(config: Config, actor: string): OnMigrated {
  const trail = new AuditTrail(config, new SystemClock());
  return async (manager, { what, names }) => {
    for (const query of [IS_WRITTEN, HAS_EVENTS])
      if ((await manager.query<[{ readonly found: boolean }]>(query))[0].found !== true) return;
    const action = what === 'applied' ? 'migration.apply' : 'migration.revert';
    await trail.write(manager, { action, actor, resource: 'database', facts: { names } });
  };
}
