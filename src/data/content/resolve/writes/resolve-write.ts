import { isRequired } from '../../../model/field-uses.js';
import { isJsonObject, hasRounded } from '../../../../kernel/text/json.js';
import { memoize } from '../../../../kernel/memoize.js';
import type {
  LinkedField,
  LinkedRelationField,
  LinkedSchema,
  LinkedValueField,
} from '../../../model/schema-model.types.js';
import { keyedRelation } from '../../../model/relation-keys.js';
import { isReservedKey } from '../../../model/identifiers.js';
import { roundedMismatch } from '../../../schema/schema.public.js';
import { LinkResolver } from './resolve-links.js';
import { type AccessLookup, ALWAYS, type Condition } from '../conditions.js';
import { computeSetters, writeMismatch, type WrittenValue, writtenValue } from '../sql-values.js';
import { isFieldWritable, isNameable, isWritable, writeRule } from '../content-access.js';
import type { RecordWrite, WriteContext, WriteTask, WrittenLinks, WrittenReference } from './record-write.js';
import type { WriteFaults } from './write-faults.js';

interface NamedFields extends Pick<WriteTask, 'schema' | 'mode' | 'preset'> {
  readonly names: ReadonlySet<string>;
  readonly fields: readonly LinkedField[];
  readonly cleared: readonly string[];
  readonly rule: Condition;
}

const LAST_NAMED = new WeakMap<AccessLookup, NamedFields>();

const NONE_HIDDEN: ReadonlyMap<string, unknown> = new Map();

export class WriteResolver {
  private readonly links: LinkResolver;
  private records = 0;

  constructor(
    private readonly context: WriteContext,
    private readonly faults: WriteFaults,
  ) {
    this.links = new LinkResolver(context, faults, (task) => this.resolve(task));
  }

  resolve(task: WriteTask): RecordWrite {
    const { schema, mode, location } = task;
    this.records += 1;
    const { nestedRecords } = this.context.limits;
    if (this.records === nestedRecords + 1)
      this.faults.add(location.slice(0, -1) || schema.name, 'too_many', `nests more than ${nestedRecords} records`);
    // The error above rejects the write, so further records are not read.
    if (this.records > nestedRecords) return unread(task);
    const body = isJsonObject(task.body) ? task.body : {};
    if (!isJsonObject(task.body)) this.faults.add(location.slice(0, -1) || schema.name, 'body_invalid');
    const { names, fields, cleared, rule } = this.named(task, body);
    const inputValues = this.inputValues(task, body, fields, cleared);
    const values = this.values(task, inputValues);
    if (mode === 'create') this.setOwner(task, names, values);
    const references: WrittenReference[] = [];
    const links: WrittenLinks[] = [];
    for (const field of fields) {
      if (field.kind !== 'relation') continue;
      const resolved = this.links.resolve(schema, field, body[field.name], location);
      if (resolved !== null && 'column' in resolved) references.push(resolved);
      else if (resolved !== null) links.push(resolved);
    }
    if (mode !== 'update') this.requireAll(task, names);
    const hidden = fields.filter((field) => field.hidden);
    return {
      location,
      schema,
      mode,
      rule,
      values,
      references,
      links,
      names,
      inputValues,
      hidden: schema.system ? new Map(hidden.map(({ name }) => [name, body[name]])) : NONE_HIDDEN,
    };
  }

  /**
   * Returns the fields of a body. Records of a list usually have the same fields, so the last result is cached if all fields may be
   * written.
   */
  private named({ schema, mode, preset, location }: WriteTask, body: Readonly<Record<string, unknown>>): NamedFields {
    const { access } = this.context;
    const all = Object.keys(body);
    const last = LAST_NAMED.get(access);
    if (last?.schema === schema && last.mode === mode && last.preset === preset && isSame(last.fields, all))
      return last;
    const fields = all.flatMap((name) => this.field({ schema, mode, preset, location, body }, name) ?? []);
    const cleared = mode === 'replace' ? this.cleared(schema, body) : [];
    const ruled = [...all, ...cleared, ...(preset === undefined ? [] : [preset])];
    const rule = writeRule(schema, mode === 'create' ? 'create' : 'update', ruled, access);
    const found = { schema, mode, preset, names: new Set(all), fields, cleared, rule };
    if (fields.length === all.length) LAST_NAMED.set(access, found);
    return found;
  }

  /** Returns the field of a name, or null. Fields that may not be written are treated like unknown ones. */
  private field({ schema, mode, location, preset }: WriteTask, name: string): LinkedField | null {
    if (this.faults.isFull) return null;
    const field = schema.fields[name];
    const action = mode === 'create' ? 'create' : 'update';
    if (field === undefined || name === preset || !isFieldWritable(schema, action, name, this.context.access)) {
      const relationName = keyedRelation(schema, this.context.snapshot.schemas, name)?.name;
      if (relationName !== undefined && isNameable(schema, relationName, this.context.access))
        this.faults.add(
          `${location}${name}`,
          'read_only',
          `is the key of ${relationName}, and must be written as ${relationName}`,
        );
      else this.faults.add(`${location}${name}`, 'unknown_field');
      return null;
    }
    if (field.kind === 'value' && field.generated !== undefined) {
      this.faults.add(`${location}${name}`, 'read_only');
      return null;
    }
    const isFixed = field.immutable || name === schema.primaryField;
    if (isFixed && mode !== 'create') {
      this.faults.add(`${location}${name}`, 'immutable');
      return null;
    }
    return field;
  }

  private inputValues(
    task: WriteTask,
    body: Readonly<Record<string, unknown>>,
    fields: readonly LinkedField[],
    cleared: readonly string[],
  ): ReadonlyMap<LinkedValueField, unknown> {
    const { schema } = task;
    const inputValues = new Map<LinkedValueField, unknown>();
    for (const field of fields) if (field.kind === 'value' && !field.hidden) inputValues.set(field, body[field.name]);
    for (const name of cleared) {
      const field = schema.fields[name];
      if (field?.kind === 'value') inputValues.set(field, field.default ?? null);
    }
    for (const { name, type } of inputValues.keys()) {
      const mismatch = hasRounded(body, name) ? roundedMismatch(body[name], type) : undefined;
      if (mismatch !== undefined) this.addNamed(task, name, 'value_invalid', mismatch);
    }
    return computeSetters(schema, inputValues, task.current ?? {}, this.context);
  }

  private values(task: WriteTask, inputValues: ReadonlyMap<LinkedValueField, unknown>): Map<string, WrittenValue> {
    const written = new Map<string, WrittenValue>();
    for (const [field, value] of inputValues) {
      const mismatch = writeMismatch(value, field);
      if (mismatch !== undefined) this.addNamed(task, field.name, 'value_invalid', mismatch);
      else if (isReservedKey(value, field, task.schema)) this.addNamed(task, field.name, 'value_reserved');
      else written.set(field.column, writtenValue(value, field, this.context.now));
    }
    return written;
  }

  /** Sets the account as owner of a new record that names no owner, for relations with this default. */
  private setOwner({ schema, preset }: WriteTask, names: ReadonlySet<string>, values: Map<string, WrittenValue>): void {
    for (const field of ownersByDefault(schema)) {
      const isNamed = names.has(field.name) || field.name === preset;
      if (isNamed || field.join.kind !== 'direct' || !this.isOwnerInput(field, 'create')) continue;
      values.set(field.join.ownColumn, { value: this.context.auth.id, sqlType: 'uuid' });
    }
  }

  /** Guests and `system` have no account. */
  private isOwnerInput(field: LinkedRelationField, mode: WriteTask['mode']): boolean {
    return field.isOwnerByDefault === true && mode === 'create' && this.context.auth.id !== '';
  }

  /** Returns the fields that a replacement omits. They get null or their default. */
  private cleared(schema: LinkedSchema, body: Readonly<Record<string, unknown>>): readonly string[] {
    return Object.values(schema.fields).flatMap((field) => {
      if (field.kind !== 'value' || field.hidden || field.generated || field.immutable) return [];
      if (Object.hasOwn(body, field.name) || field.name === schema.primaryField) return [];
      const isEmptied = field.optional || field.default !== undefined;
      return isEmptied && isFieldWritable(schema, 'update', field.name, this.context.access) ? [field.name] : [];
    });
  }

  private requireAll(task: WriteTask, names: ReadonlySet<string>): void {
    const { schema, mode, preset } = task;
    if (!isWritable(schema, mode === 'create' ? 'create' : 'update', this.context.access)) return;
    for (const field of requiredFields(schema)) {
      if (names.has(field.name) || field.name === preset) continue;
      if (mode === 'replace' && (field.immutable || field.name === schema.primaryField)) continue;
      if (field.kind === 'relation' && this.isOwnerInput(field, mode)) continue;
      this.addNamed(task, field.name, 'required');
    }
  }

  /** Adds an error for a field. If the caller may neither see nor write the field, the error names only the record. */
  private addNamed(
    { schema, location }: WriteTask,
    name: string,
    code: 'required' | 'value_invalid' | 'value_reserved',
    message?: string,
  ): void {
    if (isNameable(schema, name, this.context.access)) this.faults.add(`${location}${name}`, code, message);
    else this.faults.add(location.slice(0, -1) || schema.name, code, 'has no valid value, and you cannot set it');
  }
}

const ownersByDefault = memoize((schema: LinkedSchema) =>
  Object.values(schema.fields).filter(
    (field): field is LinkedRelationField => field.kind === 'relation' && field.isOwnerByDefault === true,
  ),
);

const requiredFields = memoize((schema: LinkedSchema) => Object.values(schema.fields).filter(isRequired));

function isSame(fields: readonly LinkedField[], names: readonly string[]): boolean {
  return fields.length === names.length && fields.every(({ name }, at) => name === names[at]);
}

function unread({ schema, mode, location }: WriteTask): RecordWrite {
  const empty = { values: new Map(), references: [], links: [], names: new Set<string>(), inputValues: new Map() };
  return { schema, mode, location, rule: ALWAYS, ...empty, hidden: NONE_HIDDEN };
}
