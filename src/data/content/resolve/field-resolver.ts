import { isFilterable, isSearchable, isSortable } from '../../model/field-uses.js';
import type { LinkedField, LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { allOf, anyOf, isLive } from './conditions.js';
import type { AccessLookup, SchemaAccess } from './content-access.types.js';
import {
  ALWAYS,
  type Condition,
  type ContentAction,
  type FieldPurpose,
  type ResolvedRelation,
  type ResolvedValue,
} from './resolved.types.js';

/**
 * The only code that turns a name of a request into a column. It knows who asks and what for, and answers null alike for
 * what is not there and for what may not be used.
 */
export class FieldResolver {
  constructor(
    private readonly snapshot: SchemaSnapshot,
    private readonly access: AccessLookup,
  ) {}

  /** The records of a schema that an action may be done with; if asked for, with deleted ones that may be restored. */
  visible(schema: LinkedSchema, action: ContentAction, withDeleted = false): Condition {
    const rulesOf = (which: ContentAction): Condition =>
      anyOf(this.access(schema, which).grants.map(({ rule }) => rule));
    const live = isLive(schema);
    return allOf([withDeleted ? anyOf([live, rulesOf('restore')]) : live, rulesOf(action)]);
  }

  /** A field with a value of its own, or null. */
  value(schema: LinkedSchema, action: ContentAction, name: string, purpose: FieldPurpose): ResolvedValue | null {
    const field = schema.fields[name];
    if (field?.kind !== 'value' || !serves(field, purpose)) return null;
    const guard = fieldGuard(this.access(schema, action), name);
    if (guard === null) return null;
    return { field, operand: { kind: 'column', column: field.column, guard: guard === ALWAYS ? null : guard } };
  }

  /** A relation whose target may be seen, or null. */
  relation(schema: LinkedSchema, action: ContentAction, name: string, purpose: FieldPurpose): ResolvedRelation | null {
    const field = schema.fields[name];
    if (field?.kind !== 'relation' || !serves(field, purpose)) return null;
    const guard = fieldGuard(this.access(schema, action), name);
    const target = this.snapshot.schemas[field.target];
    if (guard === null || target === undefined) return null;
    const targetAction = field.many ? 'list' : 'get';
    if (this.access(target, targetAction).grants.length === 0) return null;
    const where = this.visible(target, targetAction);
    const joinStep = { join: field.join, where, guard: guard === ALWAYS ? null : guard };
    return { field, target, action: targetAction, joinStep };
  }

  /** The fields with a value that a selection of everything means. */
  readable(schema: LinkedSchema, action: ContentAction): readonly ResolvedValue[] {
    return Object.keys(schema.fields).flatMap((name) => this.value(schema, action, name, 'read') ?? []);
  }

  /** The primary field, by which records are found whether or not it may be read. */
  primary(schema: LinkedSchema): LinkedValueField {
    const field = schema.fields[schema.primaryField];
    if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no primary field.`);
    return field;
  }
}

function serves(field: LinkedField, purpose: FieldPurpose): boolean {
  if (purpose === 'filter') return isFilterable(field);
  if (purpose === 'sort') return isSortable(field);
  return purpose === 'read' ? !field.hidden : isSearchable(field);
}

/** Of which records the field may be seen; null where of none. */
function fieldGuard({ grants }: SchemaAccess, name: string): Condition | null {
  const covering = grants.filter(({ read }) => read === null || read.has(name));
  if (covering.length === 0) return null;
  return covering.length === grants.length ? ALWAYS : anyOf(covering.map(({ rule }) => rule));
}
