import type { RequestOrigin } from '../../kernel/principal.types.js';

/**
 * Every action of the audit log. A feature defines its actions and adds them by declaration merging:
 *
 *     declare module '../../platform/audit/audit.types.js' {
 *       interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
 *     }
 */
export interface KnownAuditActions {}

export type AuditAction = keyof KnownAuditActions;

export interface FieldChange {
  readonly before?: unknown;
  readonly after?: unknown;
}

export type FieldChanges = Readonly<Record<string, FieldChange>>;

export interface AuditEvent {
  readonly action: AuditAction;
  /** Actor: `account:<id>`, `guest`, `operator` or `system`. */
  readonly actor: string;
  /** Target of the action: `user:<id>`, or a kind alone. */
  readonly resource: string;
  /** Error code of a rejection. Default: `success`. */
  readonly outcome?: string;
  readonly origin?: RequestOrigin | null | undefined;
  readonly changes?: FieldChanges;
  readonly at: Date;
}
