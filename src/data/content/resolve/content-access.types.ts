import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { Condition, ContentAction } from './resolved.types.js';

/** One permission that opens an action on a schema. */
export interface Grant {
  /** Of which records; speaks of the record. */
  readonly rule: Condition;
  /** Fields that it lets be read; null for all. */
  readonly read: ReadonlySet<string> | null;
  /** Fields that it lets be written; null for all that are not protected. */
  readonly write: ReadonlySet<string> | null;
}

/** Access of a principal to a schema: the permissions add up; without one nothing. */
export interface SchemaAccess {
  readonly grants: readonly Grant[];
  /** True for a root role: protected fields too. */
  readonly root: boolean;
}

/** Access of a principal, schema by schema. */
export type AccessLookup = (schema: LinkedSchema, action: ContentAction) => SchemaAccess;
