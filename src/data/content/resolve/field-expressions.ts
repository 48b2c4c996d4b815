import { ExpressionCompiler, linkedExpressionTypes } from '../../expressions/expressions.public.js';
import type { CompiledExpression, ExpressionAuth } from '../../expressions/expression.types.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';

const COMPILED = new WeakMap<LinkedSchema, Map<string, CompiledExpression>>();

/**
 * Returns an expression of a field, compiled once for each form of its schema.
 *
 * @throws TypeError for one that was never checked.
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
 * Runs the setters of a schema over what is written: one with a value gets it; one that computes from the record alone
 * runs where anything that it reads is written. A setter that fails leaves its value to the checks that follow.
 */
export function computeSetters(
  schema: LinkedSchema,
  given: ReadonlyMap<LinkedValueField, unknown>,
  current: Readonly<Record<string, unknown>>,
  { auth, now }: { readonly auth: ExpressionAuth; readonly now: Date },
): ReadonlyMap<LinkedValueField, unknown> {
  const written = new Map(given);
  const record: Record<string, unknown> = { ...defaultsOf(schema), ...current };
  for (const [field, value] of given) record[field.name] = value;
  for (const field of Object.values(schema.fields)) {
    if (field.kind !== 'value' || field.setter === undefined) continue;
    const { usesValue, reads, source } = field.setter;
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

/** Whether a change has to know the record as it is. */
export function readsRecord({ fields }: LinkedSchema): boolean {
  return Object.values(fields).some((field) => field.kind === 'value' && (field.setter?.reads.length ?? 0) > 0);
}

function defaultsOf(schema: LinkedSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.values(schema.fields).flatMap((field) =>
      field.kind === 'value' && field.default !== undefined ? [[field.name, field.default]] : [],
    ),
  );
}
