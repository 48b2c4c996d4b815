import type { PrincipalPermissions } from '../../../../kernel/permission-rules.js';
import type { ContentLimits } from '../../request/query-faults.js';
import type { ExpressionAuth } from '../../../expressions/expression.types.js';
import type { LinkedRelationField, LinkedSchema, LinkedValueField } from '../../../model/schema-model.types.js';
import type { SchemaSnapshot } from '../../../schema/snapshot/schema-snapshot.types.js';
import type { AccessLookup, Condition } from '../conditions.js';
import type { FieldResolver } from '../field-resolver.js';
import type { WrittenValue } from '../sql-values.js';

export type WriteMode = 'create' | 'update' | 'replace';

export type RecordRef =
  | { readonly kind: 'id'; readonly value: unknown }
  | { readonly kind: 'new'; readonly write: RecordWrite };

/** A reference whose foreign key is stored in the written record. */
export interface WrittenReference {
  readonly field: LinkedRelationField;
  readonly target: LinkedSchema;
  readonly column: string;
  readonly ref: RecordRef | null;
  /** Condition for target records whose link may be added or removed. */
  readonly touch: Condition;
  /** Condition for target records that the field accepts. */
  readonly fits: Condition;
  /** True if the field at the target is immutable. */
  readonly isFixed: boolean;
  readonly location: string;
}

/** Links stored in other records or in a junction. */
export interface WrittenLinks {
  readonly field: LinkedRelationField;
  readonly target: LinkedSchema;
  readonly add: readonly RecordRef[];
  readonly remove: readonly unknown[];
  /** True if links that are not in `add` are removed. */
  readonly replaces: boolean;
  /** Maximum number of existing links; null for no limit. A plain array must not replace more links than a record shows. */
  readonly maxReplaced: number | null;
  readonly touch: Condition;
  /** Condition for records that lose their link to a target record. */
  readonly ownTouch: Condition;
  readonly fits: Condition;
  readonly isFixed: boolean;
  readonly location: string;
}

/** A validated write of one record, with resolved names. */
export interface RecordWrite {
  /** Path of the record in the body, ending in a dot; empty for the body itself. */
  readonly location: string;
  readonly schema: LinkedSchema;
  readonly mode: WriteMode;
  /** Rule that the record must match; for a change before and after it. */
  readonly rule: Condition;
  /** By column. */
  readonly values: Map<string, WrittenValue>;
  readonly references: readonly WrittenReference[];
  readonly links: readonly WrittenLinks[];
  readonly names: ReadonlySet<string>;
  /** The JSON values from which `values` was computed. */
  readonly inputValues: ReadonlyMap<LinkedValueField, unknown>;
  /** Values of write-only fields by name. Hooks convert them to the stored values. */
  readonly hidden: ReadonlyMap<string, unknown>;
}

export interface WriteContext {
  readonly permissions: PrincipalPermissions;
  readonly access: AccessLookup;
  readonly limits: ContentLimits;
  readonly snapshot: SchemaSnapshot;
  readonly fields: FieldResolver;
  readonly auth: ExpressionAuth;
  readonly now: Date;
}

export interface WriteTask {
  readonly schema: LinkedSchema;
  readonly mode: WriteMode;
  readonly body: unknown;
  readonly current?: Readonly<Record<string, unknown>>;
  /** Path of the record in the body, ending in a dot; empty for the body itself. */
  readonly location: string;
  /** The relation to the parent record, which the parent write sets. */
  readonly preset?: string;
}

export function newOf(refs: readonly (RecordRef | null)[]): readonly RecordWrite[] {
  return refs.flatMap((ref) => (ref?.kind === 'new' ? [ref.write] : []));
}

/** Returns the new records that a write nests directly. */
export function nestedWrites({ references, links }: RecordWrite): readonly RecordWrite[] {
  return newOf([...references.map(({ ref }) => ref), ...links.flatMap(({ add }) => add)]);
}

export function keysOf(refs: readonly (RecordRef | null)[]): readonly unknown[] {
  return refs.flatMap((ref) => (ref?.kind === 'id' ? [ref.value] : []));
}

/**
 * Returns the keys of all referenced records, in order. Null for no record.
 *
 * @param created keys of the new records, in order.
 */
export function keysInOrder(refs: readonly (RecordRef | null)[], created: Iterator<string>): readonly unknown[] {
  return refs.map((ref) => (ref?.kind === 'new' ? (created.next().value as unknown) : (ref?.value ?? null)));
}
