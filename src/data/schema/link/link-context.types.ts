import type { CheckedSchema } from '../validate/checked-schema.types.js';
import type { FieldExpressions } from './check-expressions.js';
import type { PairStorage, Side, Sides } from './relation-sides.js';
import type { StableIds } from './stable-ids.js';

/** Holds the checked parts of all schemas from which the linked model is built; nothing in it is faulty. */
export interface LinkContext {
  readonly sides: Sides;
  readonly storages: ReadonlyMap<Side, PairStorage>;
  readonly ids: StableIds;
  readonly expressions: ReadonlyMap<CheckedSchema, ReadonlyMap<string, FieldExpressions>>;
  /** Fields that are not the primary key and yet the target of a foreign key, as `schema.field`. */
  readonly referenced: ReadonlySet<string>;
}
