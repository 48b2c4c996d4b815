import type { EntityManager } from 'typeorm';
import type { Notify } from '../../platform/events/change-notifier.service.js';
import type { Principal } from '../../kernel/principal.types.js';

/** A replacement is an update, and so is a change of a link that is stored in the record itself. */
export type RecordOperation = 'create' | 'update' | 'delete' | 'restore';

/** Field values by field name, as JSON values. */
export type RecordValues = Readonly<Record<string, unknown>>;

/** Common part of all write events. */
export interface WriteScope {
  readonly schema: string;
  readonly principal: Principal;
  /** Whether the principal has all permissions. */
  readonly root: boolean;
  /** Time of the request. */
  readonly now: Date;
  /** The same object for all writes of one request. */
  readonly request: object;
}

/** Records that a request is about to write, before its transaction starts. */
export interface PrepareWriteEvent extends WriteScope {
  /** The request bodies, including nested ones, reduced to fields that the principal may write. Nothing else is validated yet. */
  readonly records: readonly RecordValues[];
}

/** One record that is written. */
export interface RecordEvent extends WriteScope {
  readonly operation: RecordOperation;
  /** Values before the write; null for a new record. */
  readonly before: RecordValues | null;
  /** Fields that the request names, including relations. */
  readonly named: ReadonlySet<string>;
  /** Manager of the transaction. After the commit it belongs to no transaction. */
  readonly manager: EntityManager;
  /** Notifies all instances after the commit. */
  readonly notify: Notify;
}

/** A record before it is written. An error rejects the request and rolls it back. */
export interface BeforeWriteEvent extends RecordEvent {
  /** Key of the record; null for a new one. */
  readonly id: string | null;
  /** Values to be written. A hook may set, change or delete them; they are validated afterwards. */
  readonly values: Record<string, unknown>;
  /** The same for fields that are never returned and for columns without a field. Empty for hooks on all schemas. */
  readonly hidden: Record<string, unknown>;
}

/** A written record, including its links. */
export interface AfterWriteEvent extends RecordEvent {
  readonly id: string;
  /** Values after the write; null if the record was deleted. */
  readonly after: RecordValues | null;
  /** Values that were written to its fields, even if they did not change. */
  readonly written: RecordValues;
}

/** A written record after the commit. */
export type AfterCommitEvent = Omit<AfterWriteEvent, 'notify'>;
