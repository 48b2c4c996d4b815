import {
  allOf,
  ALWAYS,
  anyOf,
  complementOf,
  type Condition,
  isLive,
  NEVER,
  type Operand,
  ownColumn,
  type AccessLookup,
  type ContentAction,
  type FieldPurpose,
  type ResolvedKey,
  type ResolvedKeyList,
  type ResolvedRelation,
  type ResolvedValue,
  type SchemaAccess,
} from './conditions.js';
import { isFilterable, isSearchable, isSortable, hasOwnKey } from '../../model/field-uses.js';
import { type RelationKey, relationKey, relationKeyLists, relationKeys } from '../../model/relation-keys.js';
import type { LinkedField, LinkedRelationField, LinkedSchema } from '../../model/schema-model.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { Placeholder } from './sql-values.js';

const READS = ['get', 'list'] as const;

/**
 * The only code that maps field names of requests to columns. It checks permissions, and returns null both for unknown fields and for
 * fields that the principal may not use.
 */
export class FieldResolver {
  constructor(
    private readonly snapshot: SchemaSnapshot,
    private readonly access: AccessLookup,
    private readonly account: string | Placeholder = '',
  ) {}

  /**
   * Returns the condition for records on which the action is allowed. `withDeleted` includes deleted records that may be restored, or only
   * these.
   */
  visible(schema: LinkedSchema, action: ContentAction, withDeleted: boolean | 'only' = false): Condition {
    const rulesOf = (which: ContentAction): Condition =>
      anyOf(this.access(schema, which).grants.map(({ rule }) => rule));
    const live = isLive(schema);
    if (withDeleted === 'only') return allOf([complementOf(live), rulesOf('restore'), rulesOf(action)]);
    return allOf([withDeleted ? anyOf([live, rulesOf('restore')]) : live, rulesOf(action)]);
  }

  /** Returns the condition for records that may be linked: visible ones, and those created by the account. */
  linkable(schema: LinkedSchema, action: ContentAction): Condition {
    return anyOf([this.visible(schema, action), this.isMadeByAccount(schema)]);
  }

  /** Returns the condition for records that are readable themselves, or through a readable field of a readable record that links them. */
  reachable(schema: LinkedSchema): Condition {
    const linking = Object.values(schema.fields).map((field) => this.linkedOver(field));
    return allOf([isLive(schema), anyOf([this.visible(schema, 'get'), ...linking])]);
  }

  /** Returns the condition for records that are linked by a readable record over its field at the other side, if that field is readable. */
  linkedOver(field: LinkedField): Condition {
    if (field.kind !== 'relation' || hasOwnKey(field)) return NEVER;
    const where = this.readableOver(field);
    if (where === NEVER) return NEVER;
    return { kind: 'exists', joinStep: { join: field.join, where, guard: null }, where: ALWAYS };
  }

  /** Returns the condition for records on the other side of a relation whose field is readable. */
  private readableOver({ target: name, backField }: LinkedRelationField): Condition {
    const target = this.snapshot.schemas[name];
    if (target === undefined) return NEVER;
    const open = READS.flatMap((action) => {
      const guard = fieldGuard(this.access(target, action), backField);
      return guard === null ? [] : [allOf([this.visible(target, action), guard])];
    });
    return anyOf(open);
  }

  private isMadeByAccount(schema: LinkedSchema): Condition {
    const field = schema.fields[schema.traits.makerField ?? ''];
    const { account } = this;
    if (field?.kind !== 'value' || account instanceof Placeholder || account === '') return NEVER;
    return allOf([
      isLive(schema),
      { kind: 'among', left: ownColumn(field.column), values: [account], sqlType: 'uuid' },
    ]);
  }

  value(schema: LinkedSchema, action: ContentAction, name: string, purpose: FieldPurpose): ResolvedValue | null {
    const field = schema.fields[name];
    if (field?.kind !== 'value' || !serves(field, purpose)) return null;
    const guard = fieldGuard(this.access(schema, action), name);
    if (guard === null) return null;
    return { field, operand: { kind: 'column', column: field.column, guard: guard === ALWAYS ? null : guard } };
  }

  /** Returns a relation with a readable target, or null. */
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

  /**
   * Returns the readable foreign keys of a record. A key reveals that the target exists, so it requires access to the target. If the access
   * is unconditional, the column is read; otherwise the target is looked up. A file key requires access only to the field, which implies
   * access to the file.
   */
  keys(schema: LinkedSchema, action: ContentAction): readonly ResolvedKey[] {
    return relationKeys(schema, this.snapshot.schemas).flatMap((key) => this.visibleKey(schema, action, key) ?? []);
  }

  key(schema: LinkedSchema, action: ContentAction, name: string): ResolvedKey | null {
    const key = relationKey(schema, this.snapshot.schemas, name);
    return key === undefined ? null : this.visibleKey(schema, action, key);
  }

  /** Returns the readable lists of file keys. A caller that can read the field can read the files, whatever the rules about files are. */
  keyLists(schema: LinkedSchema, action: ContentAction): readonly ResolvedKeyList[] {
    return relationKeyLists(schema, this.snapshot.schemas).flatMap((list) => {
      const target = this.snapshot.schemas[list.relation.target];
      const guard = serves(list.relation, 'read') ? fieldGuard(this.access(schema, action), list.relation.name) : null;
      return guard === null || target === undefined
        ? []
        : [{ ...list, target, guard: guard === ALWAYS ? null : guard }];
    });
  }

  private visibleKey(schema: LinkedSchema, action: ContentAction, key: RelationKey): ResolvedKey | null {
    const { name, relation, column, keyField } = key;
    const targetSchema = this.snapshot.schemas[relation.target];
    if (targetSchema?.traits.holdsFiles === true && targetSchema.primaryField === keyField.name)
      return this.fileKey(schema, action, key);
    const step = this.relation(schema, action, relation.name, 'read');
    const targetKey = step && this.value(step.target, step.action, keyField.name, 'read');
    if (!targetKey || keyField.getter !== undefined) return null;
    const isOpen = this.access(step.target, step.action).grants.some(({ rule }) => rule === ALWAYS);
    const isSeen = isOpen && targetKey.operand.kind === 'column' && targetKey.operand.guard === null;
    const { joinStep } = step;
    const operand: Operand = isSeen
      ? { kind: 'column', column, guard: joinStep.guard }
      : { kind: 'referenced', joinStep, of: targetKey.operand };
    return { name, operand, key };
  }

  private fileKey(schema: LinkedSchema, action: ContentAction, key: RelationKey): ResolvedKey | null {
    const { name, relation, column } = key;
    const guard = serves(relation, 'read') ? fieldGuard(this.access(schema, action), relation.name) : null;
    if (guard === null) return null;
    return { name, operand: { kind: 'column', column, guard: guard === ALWAYS ? null : guard }, key };
  }
}

function serves(field: LinkedField, purpose: FieldPurpose): boolean {
  if (purpose === 'filter') return isFilterable(field);
  if (purpose === 'sort') return isSortable(field);
  return purpose === 'read' ? !field.hidden : isSearchable(field);
}

function fieldGuard({ grants }: SchemaAccess, name: string): Condition | null {
  const covering = grants.filter(({ read }) => read === null || read.has(name));
  if (covering.length === 0) return null;
  return covering.length === grants.length ? ALWAYS : anyOf(covering.map(({ rule }) => rule));
}
