import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { Condition, ContentAction } from './resolved.types.js';

export interface Grant {
  readonly rule: Condition;
  /** Readable fields; null for all. */
  readonly read: ReadonlySet<string> | null;
  /** Writable fields; null for all that are not protected. */
  readonly write: ReadonlySet<string> | null;
}

export interface SchemaAccess {
  readonly grants: readonly Grant[];
  /** True for a root role, which may also write protected fields. */
  readonly root: boolean;
}

export type AccessLookup = (schema: LinkedSchema, action: ContentAction) => SchemaAccess;
