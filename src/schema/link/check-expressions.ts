import type { FaultList } from '../codes/fault-list.js';
import { jsonPointer } from '../codes/json-pointer.js';
import { ExpressionCompiler } from '../expressions/compile-expression.js';
import { bareType } from '../expressions/expression-values.js';
import { fieldType } from '../model/field-types.js';
import type { FieldDefinition } from '../model/schema-definition.types.js';
import type { LinkedExpression } from '../model/schema-model.types.js';
import type { CheckedField, CheckedSchema } from '../validate/checked-schema.types.js';
import { EVERY_NAME } from '../validate/name-set.js';
import { allFields } from './all-fields.js';

/** The expressions of one field, checked. */
export interface FieldExpressions {
  readonly setter?: LinkedExpression;
  readonly getter?: LinkedExpression;
}

/** Compiles every setter and getter of a schema against its own fields, and reports those that cannot work. */
export function checkExpressions(schema: CheckedSchema, faults: FaultList): ReadonlyMap<string, FieldExpressions> {
  const fields = [...schema.fields.values()].filter(({ definition }) => definition.setter || definition.getter);
  if (fields.length === 0 || schema.unreadable === EVERY_NAME) return new Map();
  const record = recordTypes(schema);
  const checked = fields.map((field): [string, FieldExpressions] => {
    const compiler = new ExpressionCompiler({ record, value: celType(field.definition) });
    const setter = checkExpression(field, 'setter', compiler, faults);
    const getter = checkExpression(field, 'getter', compiler, faults);
    return [field.definition.name, { ...(setter ? { setter } : {}), ...(getter ? { getter } : {}) }];
  });
  return new Map(checked);
}

/** The types in CEL of the members of `record`: every field that can be read, nullable where it is not required. */
function recordTypes(schema: CheckedSchema): Readonly<Record<string, string>> {
  const hidden = new Set(schema.system?.hidden.map((field) => field.name));
  const fields = [...allFields(schema).values()].filter((field) => !hidden.has(field.name));
  const known = fields.map((field) => [field.name, celType(field, schema.fields.has(field.name))] as const);
  const unknown = [...schema.unreadable].map((name) => [name, 'dyn'] as const);
  return Object.fromEntries([...known, ...unknown]);
}

/** The type in CEL of a field; automatic ones are empty before the record is stored. */
function celType(field: FieldDefinition, declared = true): string {
  const { cel } = fieldType(field.type);
  if (cel === 'dyn') return cel;
  return field.optional || !declared ? `dyn<${cel}>` : cel;
}

function checkExpression(
  { definition, place }: CheckedField,
  member: 'setter' | 'getter',
  compiler: ExpressionCompiler,
  faults: FaultList,
): LinkedExpression | undefined {
  const source = definition[member];
  if (!source || !fieldType(definition.type).sql) return undefined;
  const outcome = compiler.compile(source);
  const path = jsonPointer(place.path, member);
  const code = `field.${member}.compile_error` as const;
  if (!outcome.ok) {
    const { message: reason, range, cause } = outcome.fault;
    faults.add(code, place, { path, range, cause, params: { reason } });
    return undefined;
  }
  const { resultType, usesValue, reads } = outcome.expression;
  if (resultFits(resultType, definition)) return { source, resultType, usesValue, reads };
  const reason = `its result is ${resultType}, not ${celType(definition)}`;
  faults.add(code, place, { path, range: { start: 0, end: source.length }, params: { reason } });
  return undefined;
}

/** Unknown results are judged when they are there, and a whole number serves as every kind of number. */
function resultFits(resultType: string, field: FieldDefinition): boolean {
  const wanted = fieldType(field.type).cel;
  const actual = bareType(resultType);
  if (wanted === 'dyn' || actual === 'dyn' || actual === wanted) return true;
  if (actual === 'null') return field.optional === true;
  return wanted === 'double' && actual === 'int';
}
