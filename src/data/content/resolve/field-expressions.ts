import { memoize } from '../../../kernel/memoize.js';
import { ExpressionCompiler, linkedExpressionTypes } from '../../expressions/expressions.public.js';
import type { CompiledExpression, ExpressionAuth } from '../../expressions/expression.types.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';

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
