import type {
  LinkedRelationField,
  LinkedSchema,
  LinkedValueField,
  JunctionJoin,
  RelationJoin,
} from '../../model/schema-model.types.js';
import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { RelationKey, RelationKeyList } from '../../model/relation-keys.js';
import { memoize } from '../../../kernel/memoize.js';

export const CONTENT_ACTIONS = ['list', 'get', 'create', 'update', 'delete', 'restore', 'aggregate'] as const;

/** Action on records of a schema: the last part of a resource `content.<schema>.<action>`. */
export type ContentAction = (typeof CONTENT_ACTIONS)[number];

export type FieldPurpose = 'read' | 'filter' | 'sort' | 'search';

export interface ResolvedValue {
  readonly field: LinkedValueField;
  readonly operand: Operand;
}

export interface ResolvedKey {
  /** `<field>_id`. */
  readonly name: string;
  readonly operand: Operand;
  readonly key: RelationKey;
}

export interface ResolvedKeyList extends RelationKeyList {
  readonly target: LinkedSchema;
  readonly guard: Condition | null;
}

export interface ResolvedRelation {
  readonly field: LinkedRelationField;
  readonly target: LinkedSchema;
  /** Action that decides on visibility in the target: `list` for to-many, `get` for to-one. */
  readonly action: ContentAction;
  readonly joinStep: JoinStep;
}

export interface ResolvedSort {
  /** Stable ids of the fields on its path, and the type of the last one. A name may be reused by another field later. */
  readonly identity: string;
  readonly operand: Operand;
  readonly type: FieldType;
  readonly descending: boolean;
  readonly nullable: boolean;
}

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

export interface JoinStep {
  readonly join: RelationJoin;
  readonly where: Condition;
  /** Condition on the starting record for which the relation is visible; null for all. */
  readonly guard: Condition | null;
}

/** A value in a condition. A column belongs to the record of the enclosing condition. */
export type Operand =
  | { readonly kind: 'column'; readonly column: string; readonly guard: Condition | null }
  | { readonly kind: 'referenced'; readonly joinStep: JoinStep; readonly of: Operand }
  /** The position of the record in the ordered list of the record with the key `of`, on the other side of the junction. */
  | { readonly kind: 'place'; readonly join: JunctionJoin; readonly order: string; readonly of: Operand }
  | { readonly kind: 'value'; readonly value: unknown; readonly sqlType: string };

/** `same` and `differs` treat nulls as equal (`IS [NOT] DISTINCT FROM`). */
export type Comparison = '=' | '<' | '<=' | '>' | '>=' | 'same' | 'differs';

/** A three-valued condition on a record, as in SQL. A comparison with null is unknown. */
export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  /** True only if the inner condition is true. */
  | { readonly kind: 'sure'; readonly of: Condition }
  | {
      readonly kind: 'compare';
      readonly comparison: Comparison;
      readonly left: Operand;
      readonly right: Operand;
      /** True to compare by code points, as CEL does. */
      readonly plainOrder?: boolean;
    }
  | { readonly kind: 'among'; readonly left: Operand; readonly values: readonly unknown[]; readonly sqlType: string }
  | { readonly kind: 'pattern'; readonly left: Operand; readonly pattern: string; readonly ignoreCase: boolean }
  | {
      readonly kind: 'text';
      readonly test: 'startsWith' | 'endsWith' | 'contains';
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: 'present'; readonly of: Operand }
  | { readonly kind: 'truth'; readonly of: Operand }
  | { readonly kind: 'exists'; readonly joinStep: JoinStep; readonly where: Condition }
  /** Condition on the one target record of a step. Unknown if there is no target. */
  | { readonly kind: 'through'; readonly joinStep: JoinStep; readonly of: Condition }
  /** Unknown if `where` is not true. */
  | { readonly kind: 'given'; readonly where: Condition; readonly of: Condition }
  | {
      readonly kind: 'search';
      readonly columns: readonly string[];
      /** Columns of the search index if they differ. The index then only narrows the candidates. */
      readonly indexed: readonly string[] | null;
      readonly text: string;
    };

/** A column of the record of the condition, without a guard. */
export function ownColumn(column: string): Extract<Operand, { readonly kind: 'column' }> {
  return { kind: 'column', column, guard: null };
}

export const ALWAYS: Condition = { kind: 'constant', value: true };
export const NEVER: Condition = { kind: 'constant', value: false };

export function allOf(conditions: readonly Condition[]): Condition {
  const of = conditions.filter((condition) => condition !== ALWAYS);
  if (of.includes(NEVER)) return NEVER;
  return of.length === 0 ? ALWAYS : of.length === 1 ? (of[0] as Condition) : { kind: 'all', of };
}

export function anyOf(conditions: readonly Condition[]): Condition {
  const of = conditions.filter((condition) => condition !== NEVER);
  if (of.includes(ALWAYS)) return ALWAYS;
  return of.length === 0 ? NEVER : of.length === 1 ? (of[0] as Condition) : { kind: 'any', of };
}

/** Returns the exact complement. It is true wherever the condition is false or null. */
export function complementOf(condition: Condition): Condition {
  if (condition.kind === 'constant') return condition.value ? NEVER : ALWAYS;
  return { kind: 'not', of: isNeverUnknown(condition) ? condition : { kind: 'sure', of: condition } };
}

/** Returns true if a condition is never null. Its negation can then be rendered plainly, which the planner handles better. */
function isNeverUnknown(condition: Condition): boolean {
  if (condition.kind === 'not') return isNeverUnknown(condition.of);
  if (condition.kind === 'all' || condition.kind === 'any') return condition.of.every(isNeverUnknown);
  return ['constant', 'exists', 'present', 'sure'].includes(condition.kind);
}

export const isLive = memoize((schema: LinkedSchema): Condition => {
  const column = deletedAtColumn(schema);
  return column === null ? ALWAYS : { kind: 'not', of: { kind: 'present', of: ownColumn(column) } };
});

/** Returns the `deleted_at` column; null if the schema has no soft deletion. */
export function deletedAtColumn(schema: LinkedSchema): string | null {
  if (!schema.softDelete) return null;
  for (const field of Object.values(schema.fields))
    if (field.kind === 'value' && field.generated === 'deleted_at') return field.column;
  return null;
}
