import type { SchemaAbility, UsableField } from '../../../data/content/access/content-abilities.service.js';
import type {
  LinkedField,
  LinkedRelationField,
  LinkedSchema,
  LinkedValueField,
} from '../../../data/model/schema-model.types.js';
import { valueSchema, testsOf, type ValueTests, fieldType } from '../../../data/model/field-types.js';
import type { ResolvedKey, ContentLimits } from '../../../data/content/content.public.js';
import { isRequiredToCreate, type WrittenMode } from '../../../data/model/field-uses.js';
import { PASSWORD_LENGTH } from '../../../identity/users/users.public.js';
import { listOf, schemaRef, type Json } from '../document/references.js';
import { type DescriptionContext, isRead } from './description-context.js';
import { groupSchema } from './list-schemas.js';

const TEXT = { type: 'string' } as const;

const FLAG = { type: 'boolean' } as const;

const BY_FAMILY: Readonly<Record<string, string>> = {
  boolean: 'BooleanCondition',
  time: 'TimeCondition',
  uuid: 'UuidCondition',
  enum: 'TextCondition',
  string: 'TextCondition',
  integer: 'IntegerCondition',
  float: 'NumberCondition',
};

type Named = Record<string, Json>;

export function recordSchemas(ability: SchemaAbility, context: DescriptionContext): Named {
  const type = context.typeOf(ability.schema.name);
  const schemas: Named = { [type]: recordSchema(ability, context), [`${type}Filter`]: filterSchema(ability, context) };
  if (ability.actions.has('aggregate')) schemas[`${type}Group`] = groupSchema(ability, context);
  if (ability.actions.has('create')) schemas[`${type}Create`] = writtenSchema(ability, 'create', context);
  if (ability.actions.has('update')) schemas[`${type}Update`] = writtenSchema(ability, 'update', context);
  return schemas;
}

function seenFields(ability: SchemaAbility, purpose: 'read' | 'filter'): readonly UsableField[] {
  const seen = new Map<string, UsableField>();
  for (const action of ['get', 'list', ...(purpose === 'filter' ? (['aggregate'] as const) : [])] as const) {
    for (const { field, isConditional } of ability.usableFields(action, purpose)) {
      const before = seen.get(field.name);
      seen.set(field.name, { field, isConditional: isConditional || before?.isConditional === true });
    }
  }
  return [...seen.values()];
}

/** Returns the schema of a returned record. Fields that are not selected are missing, so none is required. */
function recordSchema(ability: SchemaAbility, context: DescriptionContext): Json {
  const properties: Named = {};
  for (const { field, isConditional } of seenFields(ability, 'read')) {
    if (field.kind === 'value') properties[field.name] = answeredValue(field, ability.schema, isConditional);
    else if (isReachable(field, context)) properties[field.name] = answeredRelation(field, context);
  }
  const keyLists = answeredKeyLists(ability);
  Object.assign(properties, answeredKeys(ability), keyLists);
  const relations = seenFields(ability, 'read').flatMap(({ field }) =>
    field.kind === 'relation' && field.many && isReachable(field, context) ? [field.name] : [],
  );
  const lists = [...relations, ...Object.keys(keyLists)];
  if (lists.length > 0) properties['_truncated'] = truncated(lists);
  return { type: 'object', description: `A record of \`${ability.schema.name}\`.`, properties };
}

/** Returns the properties `<field>_ids`: the keys of the files of multi-file fields. */
function answeredKeyLists(ability: SchemaAbility): Named {
  const readableKeys = (['get', 'list'] as const).flatMap((action) => ability.keyLists(action));
  const isConditional = new Set(readableKeys.flatMap(({ name, guard }) => (guard === null ? [] : [name])));
  return Object.fromEntries(
    readableKeys.map(({ name, relation, keyField }) => [
      name,
      {
        ...listOf(valueSchema(keyField, 'read', false)),
        ...(isConditional.has(name) ? { type: ['array', 'null'] } : {}),
        description: `The keys of \`${relation.name}\`.`,
        readOnly: true,
      },
    ]),
  );
}

function truncated(lists: readonly string[]): Json {
  const description =
    'Relations whose records are not all returned. List the remaining records with the route of the relation.';
  return { ...listOf({ enum: lists }), description, readOnly: true };
}

function answeredValue(field: LinkedValueField, { primaryField }: LinkedSchema, isConditional: boolean): Json {
  const isEmptied = field.optional || field.generated === 'deleted_at' || field.getter !== undefined;
  const isReadOnly = field.generated !== undefined || field.name === primaryField;
  return {
    ...valueSchema(field, 'read', isEmptied || isConditional),
    ...describeField(field, field.getter === undefined ? [] : ['Computed on read.']),
    ...(isReadOnly ? { readOnly: true } : {}),
  };
}

function answeredRelation(field: LinkedRelationField, context: DescriptionContext): Json {
  const record = schemaRef(context.typeOf(field.target));
  const description = describeField(field, ['Returned if it is selected.']);
  return field.many ? { ...listOf(record), ...description } : { anyOf: [record, { type: 'null' }], ...description };
}

/** Returns the properties `<field>_id`: the keys of related records. */
function answeredKeys(ability: SchemaAbility): Named {
  const readableKeys = (['get', 'list'] as const).flatMap((action) => ability.keys(action));
  const isConditional = new Set(readableKeys.flatMap(({ name, operand }) => (isAlwaysPresent(operand) ? [] : [name])));
  return Object.fromEntries(
    readableKeys.map(({ name, key: { relation, keyField } }) => [
      name,
      {
        ...valueSchema(keyField, 'read', relation.optional || isConditional.has(name)),
        description: `The key of \`${relation.name}\`.`,
        readOnly: true,
      },
    ]),
  );
}

function isAlwaysPresent(operand: ResolvedKey['operand']): boolean {
  return operand.kind === 'column' && operand.guard === null;
}

function isReachable({ target }: LinkedRelationField, context: DescriptionContext): boolean {
  const ability = context.ability(target);
  return ability !== undefined && isRead(ability);
}

function writtenSchema(ability: SchemaAbility, mode: WrittenMode, context: DescriptionContext): Json {
  const fields = ability.writableFields(mode);
  const required = mode === 'create' ? fields.filter(isRequiredToCreate).map(({ name }) => name) : [];
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(fields.map((field) => [field.name, writtenField(field, context)])),
  };
}

function writtenField(field: LinkedField, context: DescriptionContext): Json {
  if (field.hidden && field.kind === 'value' && field.type === 'bool') return { type: 'boolean', writeOnly: true };
  if (field.hidden)
    return { type: 'string', minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max, writeOnly: true };
  if (field.kind === 'relation') return { ...writtenRelation(field, context), ...describeField(field, []) };
  const fallback = field.default === undefined ? {} : { default: field.default };
  return { ...valueSchema(field, 'written', field.optional), ...fallback, ...describeField(field, []) };
}

/**
 * Returns the input of a relation: a key, `{"id": …}`, or a new record. A to-many relation takes a list of them, or the records to add and
 * remove.
 */
function writtenRelation(field: LinkedRelationField, context: DescriptionContext): Json {
  const target = context.schema(field.target);
  const key = target?.fields[target.primaryField];
  if (target === undefined || key?.kind !== 'value') return {};
  const id = valueSchema(key, 'read', false);
  const named = { type: 'object', required: [key.name], additionalProperties: false, properties: { [key.name]: id } };
  const record = { anyOf: [id, named, ...newRecord(field, context)] };
  if (!field.many) {
    const isHolder = field.join.kind === 'direct' && field.join.holder === 'own';
    return field.optional || !isHolder ? { anyOf: [...record.anyOf, { type: 'null' }] } : record;
  }
  const change = { $add: listOf(record), $remove: listOf({ anyOf: [id, named] }) };
  return {
    anyOf: [
      listOf(record),
      { type: 'object', additionalProperties: false, properties: change },
      { type: 'object', additionalProperties: false, required: ['$set'], properties: { $set: listOf(record) } },
    ],
  };
}

/** Returns the schema of a record that is created together with this one. Its link to this one is implied. */
function newRecord({ join, backField, target }: LinkedRelationField, context: DescriptionContext): readonly Json[] {
  if (context.ability(target)?.actions.has('create') !== true) return [];
  const type = `${context.typeOf(target)}Create`;
  if (join.kind === 'junction' || join.holder === 'own') return [schemaRef(type)];
  return [{ type: 'object', description: `${type} without \`${backField}\`.` }];
}

function filterSchema(ability: SchemaAbility, context: DescriptionContext): Json {
  const properties: Named = filterLogic(schemaRef(`${context.typeOf(ability.schema.name)}Filter`));
  const paths: string[] = [];
  for (const { field } of seenFields(ability, 'filter')) {
    if (field.kind === 'value') properties[field.name] = conditionOf(field);
    else if (isReachable(field, context)) {
      properties[field.name] = relationCondition(field, context);
      paths.push(field.name);
    }
  }
  if (ability.usableFields('list', 'search').length > 0) properties['$search'] = { type: 'string' };
  const reached = paths.length === 0 ? {} : { patternProperties: { [`^(${paths.join('|')})\\..+$`]: {} } };
  return { type: 'object', additionalProperties: false, properties, ...reached };
}

function relationCondition({ target }: LinkedRelationField, context: DescriptionContext): Json {
  const filter = schemaRef(`${context.typeOf(target)}Filter`);
  const schema = context.schema(target);
  const key = schema?.fields[schema.primaryField];
  const related = { type: 'object', properties: { $some: filter, $none: filter, $every: filter } };
  return { anyOf: [...(key?.kind === 'value' ? [conditionOf(key)] : []), related] };
}

function describeField({ label }: LinkedField, more: readonly string[]): Json {
  const text = [...(label === undefined ? [] : [label]), ...more].join('. ');
  return text === '' ? {} : { description: text };
}

/** Returns the filter conditions: a single value, null, or an object of operators. */
export function filterSchemas({ inValues }: Pick<ContentLimits, 'inValues'>): Readonly<Record<string, Json>> {
  const condition = (value: Json | null, tests: ValueTests): Json => conditionFor(value, tests, inValues);
  return {
    BooleanCondition: condition({ type: 'boolean' }, 'equality'),
    TimeCondition: condition(TEXT, 'order'),
    UuidCondition: condition({ type: 'string', format: 'uuid' }, 'order'),
    TextCondition: condition(TEXT, 'text'),
    IntegerCondition: condition({ type: ['integer', 'string'] }, 'order'),
    NumberCondition: condition({ type: 'number' }, 'order'),
    NullCondition: condition(null, 'none'),
  };
}

function conditionOf({ type }: LinkedValueField): Json {
  const { family } = fieldType(type);
  return schemaRef(testsOf(family) === 'none' ? 'NullCondition' : (BY_FAMILY[family] ?? 'NullCondition'));
}

function filterLogic(self: Json): Readonly<Record<string, Json>> {
  return { $and: listOf(self), $or: listOf(self), $not: self };
}

function conditionFor(value: Json | null, tests: ValueTests, maximum: number): Json {
  const operators = {
    type: 'object',
    additionalProperties: false,
    properties: operatorsOf(value ?? {}, tests, maximum),
  };
  return { anyOf: [...(value === null ? [] : [value]), { type: 'null' }, operators] };
}

function operatorsOf(value: Json, tests: ValueTests, maximum: number): Readonly<Record<string, Json>> {
  const orNull = { anyOf: [value, { type: 'null' }] };
  const list = { type: 'array', items: value, maxItems: maximum };
  const propertiesOf = (names: readonly string[], schema: Json): Record<string, Json> =>
    Object.fromEntries(names.map((name) => [name, schema]));
  return {
    $null: FLAG,
    ...(tests === 'none' ? {} : { ...propertiesOf(['$eq', '$neq'], orNull), ...propertiesOf(['$in', '$nin'], list) }),
    ...(tests === 'order' || tests === 'text' ? propertiesOf(['$gt', '$gte', '$lt', '$lte'], value) : {}),
    ...(tests === 'text'
      ? propertiesOf(['$like', '$notlike', '$ilike', '$contains', '$notcontains', '$icontains'], TEXT)
      : {}),
  };
}
