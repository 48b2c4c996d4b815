import type { LinkedRelationField, LinkedSchema } from '../../../model/schema-model.types.js';
import { linksOfList } from '../../request/content-limits.js';
import type { FilterScalar } from '../../request/list-query.types.js';
import { filterValue } from '../sql-value.js';
import { isFieldWritable, isWritable, writeRule } from './write-access.js';
import type {
  RecordRef,
  RecordWrite,
  WriteTask,
  WriteContext,
  WrittenLinks,
  WrittenReference,
  LinkContext,
} from './write.types.js';
import type { PlainFaultCode, WriteFaults } from './write-faults.js';
import { type PrincipalPermissions, speaksOf, valuesOf } from '../../../../kernel/permission-rules.js';
import { expressionReads } from '../../../expressions/expressions.public.js';
import { isInverseSide } from '../../../model/field-uses.js';
import { compileRule } from '../rules/compile-rule.js';
import { fileFits } from './file-fits.js';
import { resourceOf } from '../content-access.js';
import { ALWAYS, type Condition, CONTENT_ACTIONS } from '../resolved.types.js';
import { RuleRefused } from '../rules/rule-terms.js';

const READ = new WeakMap<PrincipalPermissions, WeakMap<LinkedSchema, ReadonlySet<string>>>();

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
    const place = `${prefix}${field.name}`;
    if (target === undefined) return this.refuse(place);
    const { join } = field;
    const back = backOf(field, target);
    const touch = linkRule(this.context, target, back);
    const isFixed = back?.immutable === true;
    const fits = fileFits(field, target);
    if (join.kind === 'direct' && join.holder === 'own') {
      const reference = { field, target, column: join.ownColumn, touch, fits, isFixed, place };
      if (value === null && field.optional) return { ...reference, ref: null };
      const ref = this.ref(field, target, value, place);
      return ref && { ...reference, ref };
    }
    if (join.kind === 'direct' && !this.isHeldByWritten(field, target)) return this.refuse(place, 'unknown_field');
    const ownTouch = linkRule(this.context, schema, field);
    const links = this.links(field, target, value, place);
    return links && { field, target, ...links, touch, ownTouch, fits, isFixed, place };
  }

  /** Returns true if the field at the other side may be written. A link stored in the other record counts as its change or creation. */
  private isHeldByWritten({ backField }: LinkedRelationField, target: LinkedSchema): boolean {
    const { access } = this.context;
    return (['update', 'create'] as const).some((action) => isFieldWritable(target, action, backField, access));
  }

  private links(
    field: LinkedRelationField,
    target: LinkedSchema,
    value: unknown,
    place: string,
  ): Pick<WrittenLinks, 'add' | 'remove' | 'replaces' | 'mostReplaced'> | null {
    if (!field.many) {
      const ref = value === null ? null : this.ref(field, target, value, place);
      return { add: ref === null ? [] : [ref], remove: [], replaces: true, mostReplaced: null };
    }
    const operations: Body | null = Array.isArray(value) ? { $set: value } : isObject(value) ? value : null;
    const { $add = [], $remove = [], $set } = operations ?? {};
    const isKnown = operations !== null && Object.keys(operations).every((name) => LIST_OPERATIONS.has(name));
    const added = $set ?? $add;
    const isMixed = $set !== undefined && (operations?.['$add'] !== undefined || operations?.['$remove'] !== undefined);
    if (!isKnown || isMixed || !Array.isArray(added) || !Array.isArray($remove))
      return this.refuse(place, 'list_invalid');
    const add = this.refs(field, target, added, place);
    const remove = $remove.flatMap((entry: unknown, at) => {
      const ref = this.ref(field, target, entry, `${place}.$remove[${at}]`, false);
      return ref?.kind === 'id' ? [ref.value] : [];
    });
    const mostReplaced = Array.isArray(value) ? linksOfList(this.context.limits) : null;
    return { add, remove, replaces: $set !== undefined, mostReplaced };
  }

  /** Stops reading the list if it has too many new records, because the write is then rejected. */
  private refs(
    field: LinkedRelationField,
    target: LinkedSchema,
    entries: readonly unknown[],
    place: string,
  ): readonly RecordRef[] {
    const refs: RecordRef[] = [];
    let created = 0;
    for (const [at, entry] of entries.entries()) {
      const ref = this.ref(field, target, entry, `${place}[${at}]`);
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
    place: string,
    mayBeNew = true,
  ): RecordRef | null {
    const primary = this.context.fields.primary(target);
    const id = isObject(value) ? value[primary.name] : value;
    if (typeof id === 'string' || typeof id === 'number') {
      const isAlone = !isObject(value) || Object.keys(value).length === 1;
      const fitting = isAlone ? filterValue(id as FilterScalar, primary.type) : undefined;
      return fitting === undefined ? this.refuse(place) : { kind: 'id', value: fitting };
    }
    if (!isObject(value) || !mayBeNew) return this.refuse(place);
    if (!isWritable(target, 'create', this.context.access)) return this.refuse(place, 'unknown_field');
    const isHolder = field.join.kind === 'direct' && field.join.holder === 'target';
    const preset = isHolder ? field.backField : undefined;
    if (preset !== undefined && !isFieldWritable(target, 'create', preset, this.context.access))
      return this.refuse(place, 'unknown_field');
    return {
      kind: 'new',
      write: this.nest({ schema: target, mode: 'create', body: value, place: `${place}.`, preset }),
    };
  }

  private refuse(place: string, code: PlainFaultCode = 'reference_invalid'): null {
    this.faults.add(place, code);
    return null;
  }
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the rule for records whose link changes when another record is written. It is their update rule if the link belongs to them: if
 * they store the foreign key, or if a rule on them reads the relation. Otherwise a caller with access to the other side could move records
 * to where the rule forbids. In all other cases there is no rule.
 *
 * @param field the relation on this schema; undefined if it has none.
 */
function linkRule(
  { permissions, access }: LinkContext,
  schema: LinkedSchema,
  field: LinkedRelationField | undefined,
): Condition {
  if (field === undefined || isInverseSide(schema, field)) return ALWAYS;
  const isPart = isHeld(field) || ruleReads(permissions, schema).has(field.name);
  return isPart ? writeRule(schema, 'update', [field.name], access) : ALWAYS;
}

function backOf(field: LinkedRelationField, target: LinkedSchema): LinkedRelationField | undefined {
  const back = target.fields[field.backField];
  return back?.kind === 'relation' ? back : undefined;
}

function isHeld({ join }: LinkedRelationField): boolean {
  return join.kind === 'direct' && join.holder === 'own';
}

function ruleReads(permissions: PrincipalPermissions, schema: LinkedSchema): ReadonlySet<string> {
  const known = READ.get(permissions) ?? new WeakMap<LinkedSchema, ReadonlySet<string>>();
  READ.set(permissions, known);
  const reads = known.get(schema) ?? findReads(permissions, schema);
  known.set(schema, reads);
  return reads;
}

function findReads({ root, permissions }: PrincipalPermissions, schema: LinkedSchema): ReadonlySet<string> {
  if (root) return new Set();
  const resources = CONTENT_ACTIONS.map((action) => resourceOf(schema, action));
  const rules = permissions.filter((permission) => resources.some((name) => speaksOf(permission, name)));
  return new Set(rules.flatMap(valuesOf).flatMap((value) => readsOf(schema, value)));
}

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
