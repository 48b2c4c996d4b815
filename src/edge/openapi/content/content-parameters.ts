import type { SchemaAbility } from '../../../data/content/access/content-abilities.service.js';
import { type ContentLimits, linksOfList } from '../../../data/content/content.public.js';
import { listOf, parameterRef, schemaRef, type Json } from '../document/references.js';

const query = (name: string, description: string, schema: Json, more: Json = {}): Json => ({
  name,
  in: 'query',
  description,
  schema,
  ...more,
});
const header = (name: string, description: string, schema: Json): Json => ({ name, in: 'header', description, schema });
const byCommas = { style: 'form', explode: false };

const HEADERS: Readonly<Record<string, Json>> = {
  IfMatch: header('If-Match', 'The `ETag` of what was read: anything newer is not changed (412).', {
    type: 'string',
  }),
  IfNoneMatch: header('If-None-Match', 'The `ETag` of the answer that is there already: 304 if it is still the same.', {
    type: 'string',
  }),
  IdempotencyKey: header(
    'Idempotency-Key',
    'A fresh UUID, say: the request is done once, however often it is sent. For signed-in accounts.',
    { type: 'string', minLength: 1, maxLength: 257 },
  ),
  Prefer: header('Prefer', '`return=minimal` asks for no body.', { type: 'string', examples: ['return=minimal'] }),
};

export function contentParameters(limits: ContentLimits): Readonly<Record<string, Json>> {
  return {
    Limit: query('limit', 'Records of a page.', {
      type: 'integer',
      minimum: 1,
      maximum: limits.maxPageSize,
      default: limits.pageSize,
    }),
    Page: query('page', 'Which page, from 1.', { type: 'integer', minimum: 1, default: 1 }),
    Cursor: query(
      'cursor',
      'Empty for the first page, then `next_cursor` until that is null. As fast on the last page as on the first.',
      { type: 'string' },
      { allowEmptyValue: true },
    ),
    Count: query('count', `\`capped\` counts to ${limits.cappedCount}. With a cursor nothing is counted.`, {
      enum: ['exact', 'capped', 'none'],
      default: 'exact',
    }),
    WithDeleted: query('with_deleted', 'Deleted records that you may restore, too; `only`: no others.', {
      enum: ['true', 'false', 'only'],
    }),
    Relations: relationsParameter(limits),
    ...HEADERS,
  };
}

function relationsParameter(limits: ContentLimits): Json {
  return {
    name: 'relations',
    in: 'query',
    description: 'What is expanded of relations to many, by their dotted path.',
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
        'JSON: a value alone, or operators; paths over relations such as `"category.slug"`; `$and`, `$or`, `$not`. A path over a relation to many means "some"; `$some`, `$none` and `$every` ask of one record.',
      content: { 'application/json': { schema: schemaRef(`${type}Filter`), example: filterExample(ability) } },
    },
    [`${type}Select`]: query(
      'select',
      'Fields by commas, over relations by dots, `*` for all own fields. Without it: all own fields.',
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
  const fields = ability.usable('list', 'sort').map(({ field }) => field);
  const names = fields.filter(({ kind }) => kind === 'value').map(({ name }) => name);
  const toOne = fields.filter((field) => field.kind === 'relation' && !field.many).map(({ name }) => name);
  const keys = names.length === 0 ? [] : [{ enum: names.flatMap((name) => [name, `-${name}`]) }];
  const beyond = toOne.length === 0 ? [] : [{ type: 'string', pattern: `^-?(${toOne.join('|')})\\..+$` }];
  const anyOf = [...keys, ...beyond];
  return query(
    'sort',
    'Keys by commas; `-` means descending. Empty values stand last going up, first going down.',
    anyOf.length === 0 ? { type: 'array', maxItems: 0 } : { type: 'array', maxItems: sortKeys, items: { anyOf } },
    byCommas,
  );
}

function filterExample(ability: SchemaAbility): Json {
  const fields = ability.usable('list', 'filter').map(({ field }) => field);
  const text = fields.find((field) => field.kind === 'value' && (field.type === 'string' || field.type === 'text'));
  if (text !== undefined) return { [text.name]: { $contains: 'a' } };
  const [first] = fields;
  return first === undefined ? {} : { [first.name]: { $null: false } };
}
