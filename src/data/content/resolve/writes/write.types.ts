import type { PrincipalPermissions } from '../../../../kernel/permission-rules.js';
import type { ContentLimits } from '../../request/content-limits.js';
import type { ExpressionAuth } from '../../../expressions/expression.types.js';
import type { LinkedRelationField, LinkedSchema, LinkedValueField } from '../../../model/schema-model.types.js';
import type { SchemaSnapshot } from '../../../schema/snapshot/schema-snapshot.types.js';
import type { AccessLookup } from '../content-access.types.js';
import type { FieldResolver } from '../field-resolver.js';
import type { Condition } from '../resolved.types.js';

/** Modes of a write: a record is made, changed in part, or replaced. */
export type WriteMode = 'create' | 'update' | 'replace';

/** A value as a parameter of its column. */
export interface WrittenValue {
  readonly value: unknown;
  readonly sqlType: string;
}

/** The column of a key, and what its parameters are. */
export interface KeyColumn {
  readonly column: string;
  readonly sqlType: string;
}

/** A record that another refers to: one that is there, or a new one. */
export type RecordRef =
  | { readonly kind: 'id'; readonly value: unknown }
  | { readonly kind: 'new'; readonly write: RecordWrite };

/** A reference that the record itself holds. */
export interface WrittenReference {
  readonly field: LinkedRelationField;
  readonly target: LinkedSchema;
  readonly column: string;
  readonly ref: RecordRef | null;
  /** Of which records of the target this link may be given or taken away. */
  readonly touch: Condition;
  /** Condition for the records of the target that the field takes. */
  readonly fits: Condition;
  /** True if the target never changes its links. */
  readonly isFixed: boolean;
  readonly place: string;
}

/** References that others hold, or a junction. */
export interface WrittenLinks {
  readonly field: LinkedRelationField;
  readonly target: LinkedSchema;
  readonly add: readonly RecordRef[];
  readonly remove: readonly unknown[];
  /** True if what is not added is to go. */
  readonly replaces: boolean;
  /** Links that may be there at most; null for any number. A plain array does not replace more links than a record shows. */
  readonly mostReplaced: number | null;
  /** Of which records of the target this link may be given or taken away. */
  readonly touch: Condition;
  /** Of which other records that were linked before. */
  readonly ownTouch: Condition;
  /** Condition for the records of the target that the field takes. */
  readonly fits: Condition;
  /** True if the target never changes its links. */
  readonly isFixed: boolean;
  readonly place: string;
}

/** A write of one record, checked: every name is resolved, every value fits. */
export interface RecordWrite {
  /** Place of the record in the body, ending in a dot; empty for the body itself. */
  readonly place: string;
  readonly schema: LinkedSchema;
  readonly mode: WriteMode;
  /** Of which records; for a change it must hold before and after. */
  readonly rule: Condition;
  /** By column. */
  readonly values: Map<string, WrittenValue>;
  readonly references: readonly WrittenReference[];
  readonly links: readonly WrittenLinks[];
  /** Fields that the request names. */
  readonly names: ReadonlySet<string>;
  /** Values of which `values` was made, in the forms of JSON. */
  readonly given: ReadonlyMap<LinkedValueField, unknown>;
  /** Values of fields that are never answered, by name: hooks before the write make of them what is stored. */
  readonly hidden: ReadonlyMap<string, unknown>;
}

/** Context that decides on a link: who asks, and what they may do. */
export interface LinkContext {
  readonly permissions: PrincipalPermissions;
  readonly access: AccessLookup;
}

/** Context in which a write is resolved. */
export interface WriteContext extends LinkContext {
  readonly limits: ContentLimits;
  readonly snapshot: SchemaSnapshot;
  readonly fields: FieldResolver;
  readonly auth: ExpressionAuth;
  readonly now: Date;
}

/** Write of a record: its mode and place. */
export interface WriteTask {
  readonly schema: LinkedSchema;
  readonly mode: WriteMode;
  readonly body: unknown;
  /** The record as it is, for a change. */
  readonly current?: Readonly<Record<string, unknown>>;
  /** Place of the record in the body, ending in a dot; empty for the body itself. */
  readonly place: string;
  /** A relation that is filled by whoever nests this record. */
  readonly preset?: string;
}
