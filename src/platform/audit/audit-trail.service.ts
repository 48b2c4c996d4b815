import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { auditValues, INSERT_EVENTS } from './audit-event.js';
import type { AuditEvent } from './audit.types.js';

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
