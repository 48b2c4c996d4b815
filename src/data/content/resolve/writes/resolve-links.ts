import { primaryOf, filterValue, columnOfField } from '../sql-values.js';
import {
  allOf,
  ALWAYS,
  anyOf,
  type Condition,
  NEVER,
  type Operand,
  ownColumn,
  CONTENT_ACTIONS,
} from '../conditions.js';
import { isJsonObject } from '../../../../kernel/text/json.js';
import { memoize } from '../../../../kernel/memoize.js';
import type { LinkedRelationField, LinkedSchema, LinkedField } from '../../../model/schema-model.types.js';
import { linksOfList } from '../../request/query-faults.js';
import type { FilterScalar } from '../../request/list-query.types.js';
import { isFieldWritable, isWritable, resourceOf, writeRule, isEverWritable } from '../content-access.js';
import type {
  RecordRef,
  RecordWrite,
  WriteContext,
  WriteTask,
  WrittenLinks,
  WrittenReference,
} from './record-write.js';
import type { PlainFaultCode, WriteFaults } from './write-faults.js';
import { type PrincipalPermissions, coversResource, valuesOf } from '../../../../kernel/permission-rules.js';
import { expressionReads } from '../../../expressions/expressions.public.js';
import { isInverseSide, hasOwnKey } from '../../../model/field-uses.js';
import { compileRule } from '../rules/compile-rule.js';
import { RuleRefused } from '../rules/rule-terms.js';

const KIND_OF_FILES = /\/\*$/;

const LIST_OPERATIONS: ReadonlySet<string> = new Set(['$add', '$remove', '$set']);

type Body = Readonly<Record<string, unknown>>;

export class LinkResolver {
  constructor(
    private readonly context: WriteContext,
    private readonly faults: WriteFaults,
    private readonly nest: (task: WriteTask) => RecordWrite,
  ) {}

  resolve(
    schema: LinkedSchema,
    field: LinkedRelationField,
    value: unknown,
    prefix: string,
  ): WrittenReference | WrittenLinks | null {
    const target = this.context.snapshot.schemas[field.target];
    const location = `${prefix}${field.name}`;
    if (target === undefined) return this.refuse(location);
    const { join } = field;
    const back = target.fields[field.backField];
    const touch = linkRule(this.context, target, back);
    const isFixed = back?.kind === 'relation' && back.immutable;
    const fits = fileFits(field, target);
    if (join.kind === 'direct' && join.holder === 'own') {
      const reference = { field, target, column: join.ownColumn, touch, fits, isFixed, location };
      if (value === null && field.optional) return { ...reference, ref: null };
      const ref = this.ref(field, target, value, location);
      return ref && { ...reference, ref };
    }
    // A link stored in the other record counts as its change or creation.
    if (join.kind === 'direct' && !isEverWritable(target, field.backField, this.context.access))
      return this.refuse(location, 'unknown_field');
    const ownTouch = linkRule(this.context, schema, field);
    const links = this.links(field, target, value, location);
    return links && { field, target, ...links, touch, ownTouch, fits, isFixed, location };
  }

  private links(
    field: LinkedRelationField,
    target: LinkedSchema,
    value: unknown,
    location: string,
  ): Pick<WrittenLinks, 'add' | 'remove' | 'replaces' | 'maxReplaced'> | null {
    if (!field.many) {
      const ref = value === null ? null : this.ref(field, target, value, location);
      return { add: ref === null ? [] : [ref], remove: [], replaces: true, maxReplaced: null };
    }
    const operations: Body | null = Array.isArray(value) ? { $set: value } : isJsonObject(value) ? value : null;
    const { $add = [], $remove = [], $set } = operations ?? {};
    const isOperations = operations !== null && Object.keys(operations).every((name) => LIST_OPERATIONS.has(name));
    const added = $set ?? $add;
    const isMixed = $set !== undefined && (operations?.['$add'] !== undefined || operations?.['$remove'] !== undefined);
    if (!isOperations || isMixed || !Array.isArray(added) || !Array.isArray($remove))
      return this.refuse(location, 'list_invalid');
    const add = this.refs(field, target, added, location);
    const remove = $remove.flatMap((entry: unknown, at) => {
      const ref = this.ref(field, target, entry, `${location}.$remove[${at}]`, false);
      return ref?.kind === 'id' ? [ref.value] : [];
    });
    const maxReplaced = Array.isArray(value) ? linksOfList(this.context.limits) : null;
    return { add, remove, replaces: $set !== undefined, maxReplaced };
  }

  /** Stops reading the list if it has too many new records, because the write is then rejected. */
  private refs(
    field: LinkedRelationField,
    target: LinkedSchema,
    entries: readonly unknown[],
    location: string,
  ): readonly RecordRef[] {
    const refs: RecordRef[] = [];
    let created = 0;
    for (const [at, entry] of entries.entries()) {
      const ref = this.ref(field, target, entry, `${location}[${at}]`);
      if (ref !== null) refs.push(ref);
      if (ref?.kind === 'new') created += 1;
      if (created > this.context.limits.nestedRecords) break;
    }
    return refs;
  }

  private ref(
    field: LinkedRelationField,
    target: LinkedSchema,
    value: unknown,
    location: string,
    mayBeNew = true,
  ): RecordRef | null {
    const primary = primaryOf(target);
    const id = isJsonObject(value) ? value[primary.name] : value;
    if (typeof id === 'string' || typeof id === 'number') {
      const isAlone = !isJsonObject(value) || Object.keys(value).length === 1;
      const fitting = isAlone ? filterValue(id as FilterScalar, primary.type) : undefined;
      return fitting === undefined ? this.refuse(location) : { kind: 'id', value: fitting };
    }
    if (!isJsonObject(value) || !mayBeNew) return this.refuse(location);
    if (!isWritable(target, 'create', this.context.access)) return this.refuse(location, 'unknown_field');
    const isHolder = field.join.kind === 'direct' && field.join.holder === 'target';
    const preset = isHolder ? field.backField : undefined;
    if (preset !== undefined && !isFieldWritable(target, 'create', preset, this.context.access))
      return this.refuse(location, 'unknown_field');
    return {
      kind: 'new',
      write: this.nest({ schema: target, mode: 'create', body: value, location: `${location}.`, preset }),
    };
  }

  private refuse(location: string, code: PlainFaultCode = 'reference_invalid'): null {
    this.faults.add(location, code);
    return null;
  }
}

/**
 * Returns the rule for records whose link changes when another record is written. It is their update rule if the link belongs to them: if
 * they store the foreign key, or if a rule on them reads the relation. Otherwise a caller with access to the other side could move records
 * to where the rule forbids. In all other cases there is no rule.
 *
 * @param field the relation on this schema; undefined if it has none.
 */
function linkRule(
  { permissions, access }: WriteContext,
  schema: LinkedSchema,
  field: LinkedField | undefined,
): Condition {
  if (field?.kind !== 'relation' || isInverseSide(schema, field)) return ALWAYS;
  const isPart = hasOwnKey(field) || ruleReads(permissions)(schema).has(field.name);
  return isPart ? writeRule(schema, 'update', [field.name], access) : ALWAYS;
}

/** Returns the fields that rules on a schema read. */
const ruleReads = memoize(({ root, permissions }: PrincipalPermissions) =>
  memoize((schema: LinkedSchema): ReadonlySet<string> => {
    if (root) return new Set();
    const resources = CONTENT_ACTIONS.map((action) => resourceOf(schema, action));
    const rules = permissions.filter((permission) => resources.some((name) => coversResource(permission, name)));
    return new Set(rules.flatMap(valuesOf).flatMap((value) => readsOf(schema, value)));
  }),
);

/** An invalid rule grants nothing, so it protects nothing. */
function readsOf(schema: LinkedSchema, value: string): readonly string[] {
  if (value === 'allow' || value === 'deny') return [];
  try {
    return expressionReads(compileRule(schema, value)).reads;
  } catch (error) {
    if (error instanceof RuleRefused || error instanceof RangeError) return [];
    throw error;
  }
}

/**
 * Returns the condition for files that a field accepts, by type and size. A field with a quota always has a condition, because the fast
 * write paths skip such fields and the regular path counts the quota.
 */
function fileFits({ file }: LinkedRelationField, target: LinkedSchema): Condition {
  if (file === undefined) return ALWAYS;
  const { types, quota, max_size: maxSize = quota === undefined ? undefined : Number.MAX_SAFE_INTEGER } = file;
  return allOf([
    types === undefined ? ALWAYS : anyOf(typesOf(types, ownColumn(columnOfField(target, 'type')))),
    maxSize === undefined ? ALWAYS : upTo(maxSize, ownColumn(columnOfField(target, 'size'))),
  ]);
}

function typesOf(types: readonly string[], left: Operand): readonly Condition[] {
  const kinds = types.filter((type) => KIND_OF_FILES.test(type));
  const exact = types.filter((type) => !KIND_OF_FILES.test(type));
  return [
    exact.length === 0 ? NEVER : { kind: 'among', left, values: exact, sqlType: 'text' },
    ...kinds.map((type): Condition => {
      const right: Operand = { kind: 'value', value: type.slice(0, -1), sqlType: 'text' };
      return { kind: 'text', test: 'startsWith', left, right };
    }),
  ];
}

function upTo(maxSize: number, left: Operand): Condition {
  return { kind: 'compare', comparison: '<=', left, right: { kind: 'value', value: maxSize, sqlType: 'bigint' } };
}
