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
import type {
  LinkedExpression,
  LinkedValueField,
  FieldOrigin,
  LinkedField,
  LinkedRelationField,
  RelationJoin,
} from '../../model/schema-model.types.js';
import { type CheckedField, type CheckedSchema, EVERY_NAME } from '../validate/checked-schema.js';
import { createFault, SchemaFaultError } from '../codes/schema-fault.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import {
  columnName,
  columnSqlType,
  type LinkContext,
  referencedField,
  ORDER_COLUMN,
  sideId,
  type FieldExpressions,
} from './build-tables.js';
import type { Side } from './relation-sides.js';
import type { PairStorage } from './store-pairs.js';

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

export function buildFields(schema: CheckedSchema, context: LinkContext): readonly LinkedField[] {
  const sides = context.sides.get(schema) ?? new Map<string, Side>();
  const own = [...schema.allFields.values()].map((field) => {
    const isValue = fieldType(field.type).sql !== '';
    return isValue ? valueField(schema, field, context) : relationField(sides.get(field.name), schema, field, context);
  });
  const generated = [...sides.values()].filter((side) => side.creator !== undefined);
  return [...own, ...generated.map((side) => relationField(side, schema, side.field.definition, context))];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function originOf(schema: CheckedSchema, field: string): FieldOrigin {
  if (schema.isSystemField(field)) return 'system';
  return schema.fields.has(field) ? 'declared' : 'automatic';
}

function valueField(schema: CheckedSchema, field: FieldDefinition, context: LinkContext): LinkedValueField {
  const generated = schema.generatedBy(field);
  const size = field.type === 'string' ? (field.size ?? SCHEMA_LIMITS.defaultStringSize) : field.size;
  const { setter, getter } = context.expressions.get(schema)?.get(field.name) ?? {};
  // A literal that starts with a spread is forty times slower, and there are thousands of fields.
  const linked: Mutable<LinkedValueField> = {
    id: context.ids.field(schema, field.name),
    name: field.name,
    kind: 'value',
    origin: originOf(schema, field.name),
    optional: field.optional === true || generated === 'deleted_at',
    immutable: field.immutable === true,
    sortable: field.sortable !== false,
    filterable: field.filterable !== false,
    hidden: schema.isHidden(field.name),
    type: field.type as LinkedValueField['type'],
    column: columnName(field),
    sqlType: columnSqlType(field),
    unique: field.unique === true || field.name === schema.primaryFieldName,
    searchable: field.searchable === true,
  };
  if (field.label) linked.label = field.label;
  if (size !== undefined) linked.size = size;
  if (field.enums) linked.enums = field.enums.map((entry) => entry.value);
  if (field.default !== undefined) linked.default = field.default;
  if (generated) linked.generated = generated;
  if (setter) linked.setter = setter;
  if (getter) linked.getter = getter;
  return linked;
}

function relationField(
  side: Side | undefined,
  schema: CheckedSchema,
  field: FieldDefinition,
  context: LinkContext,
): LinkedField {
  const storage = side && context.storages.get(side);
  if (!side || !storage) {
    const details = { schema: schema.name, field: field.name };
    throw new SchemaFaultError([createFault('relation.config.missing', details)]);
  }
  const { pair } = storage;
  const back = pair.owner === side ? pair.other : pair.owner;
  const linked: Mutable<LinkedRelationField> = {
    id: sideId(side, context),
    name: field.name,
    kind: 'relation',
    origin: side.creator ? 'generated' : originOf(schema, field.name),
    optional: side.isNullable,
    immutable: field.immutable === true,
    sortable: field.sortable !== false,
    filterable: field.filterable !== false,
    hidden: false,
    type: field.type === 'file' ? 'file' : 'relation',
    relation: pair.type,
    target: back.schema.name,
    backField: back.name,
    many: pair.type === 'm2m' || (pair.type === 'o2m' && pair.owner === side),
    join: relationJoin(side, back, storage),
  };
  if (field.label) linked.label = field.label;
  if (storage.onErase) linked.onErase = storage.onErase;
  if (field.default !== undefined) linked.isOwnerByDefault = true;
  if (field.file) linked.file = field.file;
  return linked;
}

function relationJoin(side: Side, back: Side, storage: PairStorage): RelationJoin {
  const isOwner = storage.pair.owner === side;
  const targetTable = back.schema.definition.namespace;
  if (storage.kind === 'junction') {
    return {
      kind: 'junction',
      ownColumn: columnName(side.schema.primaryField),
      targetTable,
      targetColumn: columnName(back.schema.primaryField),
      junctionTable: storage.table,
      junctionOwnColumn: isOwner ? storage.ownerColumn : storage.otherColumn,
      junctionTargetColumn: isOwner ? storage.otherColumn : storage.ownerColumn,
      ...(side.isFile ? { junctionOrderColumn: ORDER_COLUMN } : {}),
    };
  }
  const key = columnName(referencedField(storage));
  return {
    kind: 'direct',
    holder: isOwner ? 'target' : 'own',
    ownColumn: isOwner ? key : storage.column,
    targetTable,
    targetColumn: isOwner ? storage.column : key,
  };
}
