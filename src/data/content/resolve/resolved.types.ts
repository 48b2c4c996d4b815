import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { RelationKey, RelationKeyList } from '../../model/relation-keys.js';
import type {
  JunctionJoin,
  LinkedRelationField,
  LinkedSchema,
  LinkedValueField,
  RelationJoin,
} from '../../model/schema-model.types.js';

/** Every action on records, in the order in which they are told. */
export const CONTENT_ACTIONS = ['list', 'get', 'create', 'update', 'delete', 'restore', 'aggregate'] as const;

/** Action on records of a schema: the last part of a resource `content.<schema>.<action>`. */
export type ContentAction = (typeof CONTENT_ACTIONS)[number];

/** Purposes for which a field is used. */
export type FieldPurpose = 'read' | 'filter' | 'sort' | 'search';

/** A step over a relation to the records that may be seen there. */
export interface JoinStep {
  readonly join: RelationJoin;
  /** Condition of the records of the target that may be seen; speaks of the target. */
  readonly where: Condition;
  /** Condition on which the relation itself may be seen, if only of some records; speaks of the record that the step begins at. */
  readonly guard: Condition | null;
}

/** Something to compare. A column is of the record that the condition around it speaks of. */
export type Operand =
  | { readonly kind: 'column'; readonly column: string; readonly guard: Condition | null }
  | { readonly kind: 'referenced'; readonly joinStep: JoinStep; readonly of: Operand }
  /** The place of the record in the ordered list of the record with the key `of`, at the other side of the junction. */
  | { readonly kind: 'place'; readonly join: JunctionJoin; readonly order: string; readonly of: Operand }
  | { readonly kind: 'value'; readonly value: unknown; readonly sqlType: string };

/** Comparisons of two operands; `same` and `differs` take empty values for equal. */
export type Comparison = '=' | '<' | '<=' | '>' | '>=' | 'same' | 'differs';

/** Condition that holds for a record, or not, or is not known (a comparison with an empty value), as in SQL. */
export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  /** Holds where the other is known to hold. */
  | { readonly kind: 'sure'; readonly of: Condition }
  | {
      readonly kind: 'compare';
      readonly comparison: Comparison;
      readonly left: Operand;
      readonly right: Operand;
      /** True for the order of code points, which expressions have. */
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
  /** Holds of the one record that a step leads to; not known where it leads to none. */
  | { readonly kind: 'through'; readonly joinStep: JoinStep; readonly of: Condition }
  /** Not known where `where` does not hold. */
  | { readonly kind: 'given'; readonly where: Condition; readonly of: Condition }
  | {
      readonly kind: 'search';
      readonly columns: readonly string[];
      /** Columns of the index of the schema, if they are others: it then only narrows the search down. */
      readonly indexed: readonly string[] | null;
      readonly text: string;
    };

/** Always holds. */
export const ALWAYS: Condition = { kind: 'constant', value: true };
/** Never holds. */
export const NEVER: Condition = { kind: 'constant', value: false };

/** A field of a record that the principal may use for a purpose. */
export interface ResolvedValue {
  readonly field: LinkedValueField;
  readonly operand: Operand;
}

/** The key of the record that a relation to one leads to, where the principal may see it. */
export interface ResolvedKey {
  /** `<field>_id`. */
  readonly name: string;
  readonly operand: Operand;
  readonly key: RelationKey;
}

/** The keys of the files of a field of several files, where the principal may read the field. */
export interface ResolvedKeyList extends RelationKeyList {
  readonly target: LinkedSchema;
  /** Condition of the records of which the field may be read; null for all. */
  readonly guard: Condition | null;
}

/** A relation that the principal may use for a purpose. */
export interface ResolvedRelation {
  readonly field: LinkedRelationField;
  readonly target: LinkedSchema;
  /** The action that decides what may be seen there: `list` for many, `get` for one. */
  readonly action: ContentAction;
  readonly joinStep: JoinStep;
}

/** One key of an order, resolved. */
export interface ResolvedSort {
  /** The stable ids of the fields on its path, and the type of the last: the same name may be another field later. */
  readonly identity: string;
  readonly operand: Operand;
  readonly type: FieldType;
  readonly descending: boolean;
  readonly nullable: boolean;
}
