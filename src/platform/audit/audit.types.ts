import type { RequestOrigin } from '../../kernel/principal.types.js';

/**
 * Every action that the audit log tells of. Its owner defines it beside what is done, and adds it here by declaration merging:
 *
 *     declare module '../../platform/audit/audit.types.js' {
 *       interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
 *     }
 */
export interface KnownAuditActions {}

/** An action, such as `session.begin`. */
export type AuditAction = keyof KnownAuditActions;

/** Change of a field: that it was written, or its values too. */
export interface FieldChange {
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Changes, by field. */
export type FieldChanges = Readonly<Record<string, FieldChange>>;

/** One thing that was done, or refused. */
export interface AuditEvent {
  readonly action: AuditAction;
  /** `account:<id>`, `guest`, `operator` or `system`. */
  readonly actor: string;
  /** Target of the action: `user:<id>`, or a kind alone. */
  readonly resource: string;
  /** The error value of a refusal; `success` unless given. */
  readonly outcome?: string;
  /** The request that asked for it; nothing for what no request did. */
  readonly origin?: RequestOrigin | null | undefined;
  readonly changes?: FieldChanges;
  readonly at: Date;
}
