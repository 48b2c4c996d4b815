import { isStorable } from '../../../kernel/text/storable-text.js';
import type { FieldType, JsonValue } from '../../../kernel/schema-definition.types.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import { type Condition, ownColumn } from './conditions.js';
import { memoize } from '../../../kernel/memoize.js';
import { newId } from '../../../kernel/keys/random.js';
import { fieldType } from '../../model/field-types.js';
import { valueMismatch } from '../../schema/schema.public.js';
import type { FilterScalar } from '../request/list-query.types.js';
import { ExpressionCompiler, linkedExpressionTypes } from '../../expressions/expressions.public.js';
import type { CompiledExpression, ExpressionAuth } from '../../expressions/expression.types.js';

export interface KeyColumn {
  readonly column: string;
  readonly sqlType: string;
}

/** Returns the primary key field. It identifies records even if it is not readable. */
export function primaryOf(schema: LinkedSchema): LinkedValueField {
  const field = schema.fields[schema.primaryField];
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no primary field.`);
  return field;
}

export function columnOfField({ fields, name }: LinkedSchema, of: string | null): string {
  const field = fields[of ?? ''];
  if (field?.kind !== 'value') throw new TypeError(`The schema ${name} has no ${of ?? 'maker'}.`);
  return field.column;
}

export function keyOf(schema: LinkedSchema): KeyColumn {
  const { column, type } = primaryOf(schema);
  return { column, sqlType: comparedAs(type) };
}

/** Returns a column that foreign keys may refer to: the primary key or another unique column. */
export function columnKey(schema: LinkedSchema, column: string): KeyColumn {
  const key = keyOf(schema);
  if (column === key.column) return key;
  const field = Object.values(schema.fields).find((entry) => entry.kind === 'value' && entry.column === column);
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no column ${column}.`);
  return { column, sqlType: comparedAs(field.type) };
}

export function hasKeyAmong(schema: LinkedSchema, values: readonly unknown[]): Condition {
  const { column, sqlType } = keyOf(schema);
  return { kind: 'among', left: ownColumn(column), values, sqlType };
}

export function hasKey(schema: LinkedSchema, id: string | Placeholder): Condition | null {
  const primary = primaryOf(schema);
  const value = id instanceof Placeholder ? id : keyValue(id, primary.type);
  if (value === undefined) return null;
  return {
    kind: 'compare',
    comparison: '=',
    left: ownColumn(primary.column),
    right: { kind: 'value', value, sqlType: comparedAs(primary.type) },
  };
}

export function keyValue(id: string, type: FieldType): unknown {
  return isStorable(id) ? filterValue(id, type) : undefined;
}

export function keyText(value: unknown, { type }: LinkedValueField): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const key = keyValue(String(value), type);
  return typeof key === 'string' ? key : undefined;
}

export type PlaceholderName = 'now' | 'auth.id' | 'auth.email' | 'key' | `cursor.${number}`;

/** A value that is bound when the statement runs, not when it is compiled. */
export class Placeholder {
  constructor(
    readonly name: PlaceholderName,
    private readonly source: Placeholders,
  ) {}

  /** Returns the value of the current request. The compiled statement can then not be reused for other requests. */
  reveal(): string | Date {
    return this.source.reveal(this.name);
  }
}

export class Placeholders {
  private revealed = false;

  constructor(private readonly values: Readonly<Partial<Record<PlaceholderName, string | Date>>>) {}

  value(name: PlaceholderName): Placeholder {
    return new Placeholder(name, this);
  }

  /** @throws TypeError for a value that is not available during compilation. */
  reveal(name: PlaceholderName): string | Date {
    const value = this.values[name];
    if (value === undefined) throw new TypeError(`${name} is not known when a statement is made.`);
    this.revealed = true;
    return value;
  }

  /** True if the statement depends on a value of the current request and must not be cached. */
  get isForOneRequest(): boolean {
    return this.revealed;
  }
}

const SECONDS_PRECISION = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\dZ$/;
const DIGITS = /^(?:0|-?[1-9]\d*)$/;

export interface WrittenValue {
  readonly value: unknown;
  readonly sqlType: string;
}

/** Returns the SQL type for comparisons. It fits every value and is supported by the indexes of the column. */
export function comparedAs(type: FieldType): string {
  const { family } = fieldType(type);
  if (family === 'integer') return type === 'uint64' ? 'numeric' : 'bigint';
  if (family === 'float') return type === 'float32' ? 'real' : 'double precision';
  if (family === 'time') return 'timestamptz';
  if (family === 'string' || family === 'enum') return 'text';
  return fieldType(type).sql;
}

/**
 * Returns why a filter value does not fit a field, or undefined if it fits. Integers beyond the range of the column are accepted, because
 * any number can be compared.
 */
export function filterMismatch(
  value: FilterScalar,
  { type, enums }: { readonly type: FieldType; readonly enums?: readonly string[] },
): string | undefined {
  if (value === 'now' && type === 'time') return 'it must be an ISO 8601 time';
  if (fieldType(type).family === 'integer') return valueMismatch(value, { type: type === 'uint64' ? type : 'int64' });
  return valueMismatch(value, enums === undefined ? { type } : { type, enums });
}

export function filterValue(value: FilterScalar, type: FieldType): unknown {
  const { family } = fieldType(type);
  if (family === 'enum') return typeof value === 'string' ? value : undefined;
  if (filterMismatch(value, { type }) !== undefined) return undefined;
  if (family === 'uuid') return String(value).toLowerCase();
  if (family === 'time') return new Date(value as string).toISOString();
  if (family === 'float') return floatValue(Number(value), type);
  if (family === 'integer') return BigInt(value).toString();
  return family === 'string' || family === 'boolean' ? value : undefined;
}

export function floatValue(value: number, type: FieldType): number {
  return type === 'float32' ? Math.fround(value) : value;
}

/** Returns why a value does not fit a field, or undefined if it fits. */
export function writeMismatch(value: unknown, field: LinkedValueField): string | undefined {
  if (value === null) return field.optional ? undefined : 'it cannot be empty';
  const { family } = fieldType(field.type);
  if (family !== 'json' && typeof value === 'object') return 'it must be a plain value';
  return valueMismatch(value as JsonValue, field);
}

export function writtenValue(value: unknown, field: LinkedValueField, now: Date): WrittenValue {
  const sqlType = comparedAs(field.type);
  return { value: value === null ? null : parameterOf(value, field, now), sqlType };
}

function parameterOf(value: unknown, field: LinkedValueField, now: Date): unknown {
  switch (fieldType(field.type).family) {
    case 'time':
      return value === 'now' ? now.toISOString() : timeText(value as string);
    case 'json':
      return JSON.stringify(value);
    case 'bytes':
      return Buffer.from(value as string, 'base64');
    case 'float':
      return floatValue(Number(value), field.type);
    case 'integer':
      return typeof value === 'string' && DIGITS.test(value) ? value : BigInt(value as number | string).toString();
    default:
      return value;
  }
}

/** Converts a time to ISO 8601 in UTC. The usual form does not need `Date`. */
function timeText(value: string): string {
  return SECONDS_PRECISION.test(value) ? `${value.slice(0, -1)}.000Z` : new Date(value).toISOString();
}

export function generatedValues(schema: LinkedSchema, now: Date, id = newId()): Map<string, WrittenValue> {
  const values = new Map<string, WrittenValue>();
  const key = generatedFields(schema).get('uuid');
  if (key) values.set(key.column, { value: id, sqlType: 'uuid' });
  for (const name of ['created_at', 'updated_at'] as const) {
    const field = generatedFields(schema).get(name);
    if (field) values.set(field.column, timeValue(now));
  }
  return values;
}

/** Returns the column with the time of the last change, if the schema has one. */
export function updatedAtOf(schema: LinkedSchema, now: Date): ReadonlyMap<string, WrittenValue> {
  const field = generatedFields(schema).get('updated_at');
  return new Map(field ? [[field.column, timeValue(now)]] : []);
}

/** The first field of each kind of generated value. */
const generatedFields = memoize((schema: LinkedSchema) => {
  const values = Object.values(schema.fields).filter((field): field is LinkedValueField => field.kind === 'value');
  return new Map(values.toReversed().map((field) => [field.generated, field]));
});

/** Writes with the same time share one value, which lets the writer recognise equal rows. */
export const timeValue = memoize((now: Date): WrittenValue => ({ value: now.toISOString(), sqlType: 'timestamptz' }));

const compiledBySource = memoize((_schema: LinkedSchema) => new Map<string, CompiledExpression>());

/**
 * Returns the compiled expression of a field. It is cached by schema.
 *
 * @throws TypeError for an expression that does not compile.
 */
export function compiledExpression(schema: LinkedSchema, field: LinkedValueField, source: string): CompiledExpression {
  const cached = compiledBySource(schema);
  const key = `${field.name}\0${source}`;
  const found = cached.get(key);
  if (found !== undefined) return found;
  const outcome = new ExpressionCompiler(linkedExpressionTypes(schema, field)).compile(source);
  if (!outcome.ok) throw new TypeError(outcome.fault.message, { cause: outcome.fault.cause });
  cached.set(key, outcome.expression);
  return outcome.expression;
}

/**
 * Runs the setters of a schema. A setter that uses `value` runs if a value is given. Other setters run if a field that they read is given.
 * If a setter fails, a given value stays and is validated later; otherwise the value is null.
 */
export function computeSetters(
  schema: LinkedSchema,
  inputs: ReadonlyMap<LinkedValueField, unknown>,
  current: Readonly<Record<string, unknown>>,
  { auth, now }: { readonly auth: ExpressionAuth; readonly now: Date },
): ReadonlyMap<LinkedValueField, unknown> {
  const { setters, defaults } = settersOf(schema);
  if (setters.length === 0) return inputs;
  const written = new Map(inputs);
  const record: Record<string, unknown> = { ...defaults, ...current };
  for (const [field, value] of inputs) record[field.name] = value;
  for (const { field, setter } of setters) {
    const { usesValue, reads, source } = setter;
    const isTouched = reads.includes('*') || [...inputs.keys()].some(({ name }) => reads.includes(name));
    if (usesValue ? !inputs.has(field) || inputs.get(field) === null : !isTouched && !inputs.has(field)) continue;
    const expression = compiledExpression(schema, field, source);
    try {
      const result = expression.evaluate({ value: inputs.get(field) ?? null, record, auth, now });
      written.set(field, result);
      record[field.name] = result;
    } catch {
      if (!inputs.has(field)) written.set(field, null);
    }
  }
  return written;
}

/** Returns true if a setter reads the record, so that an update must load it first. */
export function readsRecord(schema: LinkedSchema): boolean {
  return settersOf(schema).readsRecord;
}

/** Setters of a schema, and the default values of its fields. */
const settersOf = memoize((schema: LinkedSchema) => {
  const values = Object.values(schema.fields).filter((field): field is LinkedValueField => field.kind === 'value');
  const setters = values.flatMap((field) => (field.setter === undefined ? [] : [{ field, setter: field.setter }]));
  const defaults: Readonly<Record<string, unknown>> = Object.fromEntries(
    values.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]])),
  );
  return { setters, defaults, readsRecord: setters.some(({ setter }) => setter.reads.length > 0) };
});
