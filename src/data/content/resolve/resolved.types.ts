import type { LinkedRelationField, LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { RelationKey, RelationKeyList } from '../../model/relation-keys.js';
import type { Condition, JoinStep, Operand } from './conditions.js';

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
