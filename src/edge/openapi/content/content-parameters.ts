import type { SchemaAbility } from '../../../data/content/access/content-abilities.service.js';
import { type ContentLimits, linksOfList } from '../../../data/content/content.public.js';
import { listOf, parameterRef, schemaRef, type Json } from '../document/references.js';

export const queryParameter = (name: string, description: string, schema: Json, more: Json = {}): Json => ({
  name,
  in: 'query',
  description,
  schema,
  ...more,
});
const header = (name: string, description: string, schema: Json): Json => ({ name, in: 'header', description, schema });
const byCommas = { style: 'form', explode: false };

const HEADERS: Readonly<Record<string, Json>> = {
  IfMatch: header('If-Match', '`ETag` of the record as you read it. If the record has changed, the status is 412.', {
    type: 'string',
  }),
  IfNoneMatch: header('If-None-Match', '`ETag` of a cached response. If it is still current, the status is 304.', {
    type: 'string',
  }),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Unique key, for example a new UUID. A repeated request with the same key is executed only once. For signed-in accounts only.',
    { type: 'string', minLength: 1, maxLength: 257 },
  ),
  Prefer: header('Prefer', '`return=minimal` requests a response without a body.', {
    type: 'string',
    examples: ['return=minimal'],
  }),
};

export function contentParameters(limits: ContentLimits): Readonly<Record<string, Json>> {
  return {
    Limit: queryParameter('limit', 'Maximum number of records on a page.', {
      type: 'integer',
      minimum: 1,
      maximum: limits.maxPageSize,
      default: limits.pageSize,
    }),
    Page: queryParameter('page', 'Number of the page, from 1.', { type: 'integer', minimum: 1, default: 1 }),
    Cursor: queryParameter(
      'cursor',
      'Empty for the first page, then the value of `next_cursor` until it is null. The speed does not depend on the page.',
      { type: 'string' },
      { allowEmptyValue: true },
    ),
    Count: queryParameter(
      'count',
      `How the total is counted. \`capped\` counts up to ${limits.cappedCount}. With \`cursor\`, records are not counted.`,
      { enum: ['exact', 'capped', 'none'], default: 'exact' },
    ),
    WithDeleted: queryParameter(
      'with_deleted',
      '`true` also returns deleted records that you can restore. `only` returns only these.',
      { enum: ['true', 'false', 'only'] },
    ),
    Relations: relationsParameter(limits),
    ...HEADERS,
  };
}

function relationsParameter(limits: ContentLimits): Json {
  return {
    name: 'relations',
    in: 'query',
    description: 'Options for expanded to-many relations, by dotted path.',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            additionalProperties: false,
            properties: {
              limit: { type: 'integer', minimum: 1, maximum: limits.children, default: linksOfList(limits) },
              sort: { type: 'string' },
              filter: { type: 'object' },
            },
          },
        },
        example: { tags: { limit: 5, sort: 'name' } },
      },
    },
  };
}

export function schemaParameters(
  ability: SchemaAbility,
  type: string,
  limits: ContentLimits,
): Readonly<Record<string, Json>> {
  return {
    [`${type}Filter`]: {
      name: 'filter',
      in: 'query',
      description:
        'JSON filter: a field with a value or operators, paths over relations such as `"category.slug"`, and `$and`, `$or`, `$not`. A path over a to-many relation matches if one record matches. `$some`, `$none` and `$every` test several conditions on the same record.',
      content: { 'application/json': { schema: schemaRef(`${type}Filter`), example: filterExample(ability) } },
    },
    [`${type}Select`]: queryParameter(
      'select',
      'Fields to return, separated by commas. Dots select fields of relations, `*` selects all fields of the schema itself. Default: `*`.',
      { ...listOf({ type: 'string' }), examples: [['*']] },
      byCommas,
    ),
    ...(ability.actions.has('list') ? { [`${type}Sort`]: sortParameter(ability, limits) } : {}),
  };
}

/** Returns the `select`, `relations` and `with_deleted` parameters of every response with records. */
export function recordParameters(ability: SchemaAbility, type: string): readonly Json[] {
  const deleted = ability.actions.has('restore') ? [parameterRef('WithDeleted')] : [];
  return [parameterRef(`${type}Select`), parameterRef('Relations'), ...deleted];
}

function sortParameter(ability: SchemaAbility, { sortKeys }: ContentLimits): Json {
  const fields = ability.usableFields('list', 'sort').map(({ field }) => field);
  const names = fields.filter(({ kind }) => kind === 'value').map(({ name }) => name);
  const toOne = fields.filter((field) => field.kind === 'relation' && !field.many).map(({ name }) => name);
  const keys = names.length === 0 ? [] : [{ enum: names.flatMap((name) => [name, `-${name}`]) }];
  const beyond = toOne.length === 0 ? [] : [{ type: 'string', pattern: `^-?(${toOne.join('|')})\\..+$` }];
  const anyOf = [...keys, ...beyond];
  return queryParameter(
    'sort',
    'Sort keys, separated by commas. `-` sorts descending. Null values are last in ascending and first in descending order.',
    anyOf.length === 0 ? { type: 'array', maxItems: 0 } : { type: 'array', maxItems: sortKeys, items: { anyOf } },
    byCommas,
  );
}

function filterExample(ability: SchemaAbility): Json {
  const fields = ability.usableFields('list', 'filter').map(({ field }) => field);
  const text = fields.find((field) => field.kind === 'value' && (field.type === 'string' || field.type === 'text'));
  if (text !== undefined) return { [text.name]: { $contains: 'a' } };
  const [first] = fields;
  return first === undefined ? {} : { [first.name]: { $null: false } };
}
