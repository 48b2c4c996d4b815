import type { EntityManager } from 'typeorm';
import type { Notify } from '../../platform/events/change-notifier.service.js';
import type { Principal } from '../../kernel/principal.types.js';

/** Names the operation on a record. A replacement is an update, and so is a link that the record itself holds. */
export type RecordOperation = 'create' | 'update' | 'delete' | 'restore';

/** Values of a record by the names of its fields, in the forms of JSON. */
export type RecordValues = Readonly<Record<string, unknown>>;

/** Describes the scope of every write. */
export interface WriteScope {
  /** Name of the schema. */
  readonly schema: string;
  readonly principal: Principal;
  /** Whether the principal may do everything. */
  readonly root: boolean;
  /** The time of the request. */
  readonly now: Date;
  /** One and the same object for everything that one request writes. */
  readonly request: object;
}

/** Records that a request is about to write, before its transaction begins. */
export interface PrepareWriteEvent extends WriteScope {
  /** The bodies, nested ones too, with what the principal may write of them. Nothing else of them has been checked. */
  readonly records: readonly RecordValues[];
}

/** One record that is written. */
export interface RecordEvent extends WriteScope {
  readonly operation: RecordOperation;
  /** The record as it was; null for a new one. */
  readonly before: RecordValues | null;
  /** Fields that the request names, relations too. */
  readonly named: ReadonlySet<string>;
  /** Manager of the transaction; after the commit, of no transaction. */
  readonly manager: EntityManager;
  /** Tells all instances, once the transaction is committed. */
  readonly notify: Notify;
}

/** A record before it is written. What is thrown refuses the request, and nothing of it is done. */
export interface BeforeWriteEvent extends RecordEvent {
  /** Its key; null for a new one. */
  readonly id: string | null;
  /** Values that will be written: what is set, changed or deleted here is what is written, if it fits. */
  readonly values: Record<string, unknown>;
  /** The same for fields that are never answered, and for columns that belong to no field; empty for hooks on every schema. */
  readonly hidden: Record<string, unknown>;
}

/** A record that was written, its links included. */
export interface AfterWriteEvent extends RecordEvent {
  readonly id: string;
  /** The record as it is; null if it was deleted. */
  readonly after: RecordValues | null;
  /** Values that were written to its fields, the same ones or others. */
  readonly written: RecordValues;
}

/** A record that was written and is committed. */
export type AfterCommitEvent = Omit<AfterWriteEvent, 'notify'>;
