import { ExpressionCompiler, linkedExpressionTypes } from '../../expressions/expressions.public.js';
import type { CompiledExpression, ExpressionAuth } from '../../expressions/expression.types.js';
import type { LinkedExpression, LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';

const COMPILED = new WeakMap<LinkedSchema, Map<string, CompiledExpression>>();

/**
 * Returns the compiled expression of a field. It is cached by schema.
 *
 * @throws TypeError for an expression that does not compile.
 */
export function compiledExpression(schema: LinkedSchema, field: LinkedValueField, source: string): CompiledExpression {
  const known = COMPILED.get(schema) ?? new Map<string, CompiledExpression>();
  COMPILED.set(schema, known);
  const key = `${field.name}\0${source}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const outcome = new ExpressionCompiler(linkedExpressionTypes(schema, field)).compile(source);
  if (!outcome.ok) throw new TypeError(outcome.fault.message, { cause: outcome.fault.cause });
  known.set(key, outcome.expression);
  return outcome.expression;
}

/**
 * Runs the setters of a schema. A setter that uses `value` runs if a value is given. Other setters run if a field that they read is given.
 * If a setter fails, a given value stays and is validated later; otherwise the value is null.
 */
export function computeSetters(
  schema: LinkedSchema,
  given: ReadonlyMap<LinkedValueField, unknown>,
  current: Readonly<Record<string, unknown>>,
  { auth, now }: { readonly auth: ExpressionAuth; readonly now: Date },
): ReadonlyMap<LinkedValueField, unknown> {
  const { setters, defaults } = settersOf(schema);
  if (setters.length === 0) return given;
  const written = new Map(given);
  const record: Record<string, unknown> = { ...defaults, ...current };
  for (const [field, value] of given) record[field.name] = value;
  for (const { field, setter } of setters) {
    const { usesValue, reads, source } = setter;
    const isTouched = reads.includes('*') || [...given.keys()].some(({ name }) => reads.includes(name));
    if (usesValue ? !given.has(field) || given.get(field) === null : !isTouched && !given.has(field)) continue;
    const expression = compiledExpression(schema, field, source);
    try {
      const result = expression.evaluate({ value: given.get(field) ?? null, record, auth, now });
      written.set(field, result);
      record[field.name] = result;
    } catch {
      if (!given.has(field)) written.set(field, null);
    }
  }
  return written;
}

/** Returns true if a setter reads the record, so that an update must load it first. */
export function readsRecord(schema: LinkedSchema): boolean {
  return settersOf(schema).readsRecord;
}

interface Setters {
  readonly setters: readonly { readonly field: LinkedValueField; readonly setter: LinkedExpression }[];
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly readsRecord: boolean;
}

const SETTERS = new WeakMap<LinkedSchema, Setters>();

function settersOf(schema: LinkedSchema): Setters {
  const known = SETTERS.get(schema);
  if (known !== undefined) return known;
  const values = Object.values(schema.fields).filter((field): field is LinkedValueField => field.kind === 'value');
  const setters = values.flatMap((field) => (field.setter === undefined ? [] : [{ field, setter: field.setter }]));
  const defaults = Object.fromEntries(
    values.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]])),
  );
  const found = { setters, defaults, readsRecord: setters.some(({ setter }) => setter.reads.length > 0) };
  SETTERS.set(schema, found);
  return found;
}
