import type { SchemaAbility } from '../../../data/content/content-abilities.service.js';
import { fieldType, type TypeFamily } from '../../../data/model/field-types.js';
import type { LinkedField, LinkedValueField } from '../../../data/model/schema-model.types.js';
import { valueSchema } from '../../../data/model/value-forms.js';
import type { Json } from '../document/json-text.types.js';
import type { DescriptionContext } from './description-context.js';

type Named = Record<string, Json>;

const NUMBERS: readonly TypeFamily[] = ['integer', 'float'];
const ORDERED: readonly TypeFamily[] = [...NUMBERS, 'time', 'string', 'enum'];
/** A sum that no number of JSON holds is text. */
const MADE = { type: ['number', 'string', 'null'] } as const;

/** Returns the schema of one group of an aggregate: the values that it is grouped by, and what was made of its records. */
export function groupSchema(ability: SchemaAbility, context: DescriptionContext): Json {
  const values = ability.usable('aggregate', 'filter').flatMap(({ field }) => (field.kind === 'value' ? [field] : []));
  const made = (families: readonly TypeFamily[], schema: (field: LinkedValueField) => Json): Named =>
    Object.fromEntries(
      values
        .filter(({ type }) => families.includes(fieldType(type).family))
        .map((field) => [field.name, schema(field)]),
    );
  const keys = ability.usable('aggregate', 'sort').flatMap(({ field }) => groupKey(field, context));
  return {
    type: 'object',
    description: 'Members are there where they are asked for. Paths over relations have their dotted names.',
    properties: {
      ...Object.fromEntries(keys),
      count: { type: 'integer', minimum: 0 },
      ...ofFields(
        'sum',
        made(NUMBERS, () => MADE),
      ),
      ...ofFields(
        'avg',
        made(NUMBERS, () => MADE),
      ),
      ...ofFields('min', made(ORDERED, leastOrGreatest)),
      ...ofFields('max', made(ORDERED, leastOrGreatest)),
    },
    additionalProperties: {},
  };
}

function leastOrGreatest(field: LinkedValueField): Json {
  return valueSchema(field, 'read', true);
}

/** What a field is grouped by: its value, or the key of the record that it leads to. */
function groupKey(field: LinkedField, context: DescriptionContext): readonly [string, Json][] {
  if (field.kind === 'value') return [[field.name, valueSchema(field, 'read', true)]];
  const target = context.schema(field.target);
  const key = target?.fields[target.primaryField];
  return field.many || key?.kind !== 'value' ? [] : [[field.name, valueSchema(key, 'read', true)]];
}

function ofFields(name: string, properties: Named): Named {
  if (Object.keys(properties).length === 0) return {};
  return { [name]: { type: 'object', additionalProperties: false, properties } };
}
