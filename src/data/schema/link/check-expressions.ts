import { type FaultList, below } from '../codes/fault-list.js';
import {
  bareType,
  ExpressionCompiler,
  type ExpressionField,
  expressionTypes,
} from '../../expressions/expressions.public.js';
import type { ExpressionTypes } from '../../expressions/expression.types.js';
import { fieldType } from '../../model/field-types.js';
import type { FieldDefinition } from '../../../kernel/schema-definition.types.js';
import type { LinkedExpression, LinkedValueField } from '../../model/schema-model.types.js';
import { type CheckedField, type CheckedSchema, EVERY_NAME } from '../validate/checked-schema.js';

export type FieldExpressions = Pick<LinkedValueField, 'setter' | 'getter'>;

export function checkExpressions(schema: CheckedSchema, faults: FaultList): ReadonlyMap<string, FieldExpressions> {
  const fields = [...schema.fields.values()].filter(({ definition }) => definition.setter || definition.getter);
  if (fields.length === 0 || schema.invalid === EVERY_NAME) return new Map();
  const readable = readableFields(schema);
  const checked = fields.map((field): [string, FieldExpressions] => {
    const types = expressionTypes(readable, expressionField(schema, field.definition));
    const setter = checkExpression(field, 'setter', types, faults);
    const getter = checkExpression(field, 'getter', types, faults);
    return [field.definition.name, { ...(setter ? { setter } : {}), ...(getter ? { getter } : {}) }];
  });
  return new Map(checked);
}

/** Returns the members of `record`: all readable fields. An invalid field may have any type. */
function readableFields(schema: CheckedSchema): readonly ExpressionField[] {
  const fields = [...schema.allFields.values()].filter(({ name }) => !schema.isHidden(name));
  const unknown = [...schema.invalid].map((name): ExpressionField => ({ name, type: 'json', nullable: true }));
  return [...fields.map((field) => expressionField(schema, field)), ...unknown];
}

function expressionField(schema: CheckedSchema, field: FieldDefinition): ExpressionField {
  const nullable = field.optional === true || schema.generatedBy(field) !== undefined;
  return { name: field.name, type: field.type, nullable };
}

function checkExpression(
  { definition, location }: CheckedField,
  member: 'setter' | 'getter',
  types: ExpressionTypes,
  faults: FaultList,
): LinkedExpression | undefined {
  const source = definition[member];
  if (!source) return undefined;
  const outcome = new ExpressionCompiler(types).compile(source);
  const at = below(location, member);
  const code = `field.${member}.compile_error` as const;
  if (!outcome.ok) {
    const { message: reason, range, cause } = outcome.fault;
    faults.add(code, at, { range, cause, params: { reason } });
    return undefined;
  }
  // Relations with expressions were already reported by the previous stage.
  if (!fieldType(definition.type).sql) return undefined;
  const { resultType, usesValue, reads } = outcome.expression;
  if (resultFits(resultType, definition)) return { source, resultType, usesValue, reads };
  const reason = `its result is ${resultType}, not ${types.value}`;
  faults.add(code, at, { range: { start: 0, end: source.length }, params: { reason } });
  return undefined;
}

/** Unknown types are checked at run time. An integer is accepted for every number type. */
function resultFits(resultType: string, field: FieldDefinition): boolean {
  const expectedType = fieldType(field.type).cel;
  const actual = bareType(resultType);
  if (expectedType === 'dyn' || actual === 'dyn' || actual === expectedType) return true;
  if (actual === 'null') return field.optional === true;
  return expectedType === 'double' && actual === 'int';
}
