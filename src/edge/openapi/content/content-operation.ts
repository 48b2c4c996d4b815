import type { SchemaAbility } from '../../../data/content/access/content-abilities.service.js';
import { valueSchema } from '../../../data/model/field-types.js';
import { type Failures, sharedErrors } from '../document/failures.js';
import { jsonBody } from '../routes/fixed-operation.js';
import type { Json } from '../document/references.js';
import type { DescribedRoute } from '../routes/described-route.js';
import type { ContentRow } from './content-rows.js';
import type { DescriptionContext } from './description-context.js';

const HEADERS: Readonly<Record<'ETag' | 'Location', Json>> = {
  ETag: {
    description:
      'Version of the response. Use it in `If-None-Match` of the same request, and in `If-Match` when you change the record.',
    schema: { type: 'string' },
  },
  Location: { description: 'Path of the new record.', schema: { type: 'string' } },
};

interface PathOperation {
  readonly path: string;
  readonly operation: Json;
}

/** The records that a route returns, and the suffixes of its operation id and path. */
interface RouteTarget {
  readonly ability: SchemaAbility;
  readonly suffix: string;
  readonly relation: string;
}

/**
 * Returns the paths and operations of a content route for one schema. A path with `{relation}` has one for each relation. The result is
 * empty if the route is not open to the caller.
 */
export function contentOperations(
  route: DescribedRoute,
  ability: SchemaAbility,
  context: DescriptionContext,
  failures: Failures,
): readonly PathOperation[] {
  const row = context.rows[route.key];
  if (row === undefined || !row.actions.every((action) => ability.actions.has(action))) return [];
  const targets = route.path.includes('{relation}')
    ? relationTargets(ability, context)
    : [{ ability, suffix: '', relation: '' }];
  return targets.map((target) => operationOf({ route, row, ability, target }, context, failures));
}

function relationTargets(ability: SchemaAbility, context: DescriptionContext): readonly RouteTarget[] {
  return ability.usableFields('get', 'read').flatMap(({ field }) => {
    const target = field.kind === 'relation' && field.many ? context.ability(field.target) : undefined;
    return target?.actions.has('list') === true
      ? [{ ability: target, suffix: `_${field.name}`, relation: field.name }]
      : [];
  });
}

interface DescribedOperation {
  readonly route: DescribedRoute;
  readonly row: ContentRow;
  readonly ability: SchemaAbility;
  readonly target: RouteTarget;
}

function operationOf(
  { route, row, ability, target }: DescribedOperation,
  context: DescriptionContext,
  failures: Failures,
): PathOperation {
  const { schema } = ability;
  const type = context.typeOf(target.ability.schema.name);
  const parameters = [...keyParameter(route, ability), ...(row.parameters?.(target.ability, type) ?? [])];
  const body = row.body?.(type, ability);
  const writes = route.method !== 'get';
  const errors = sharedErrors({
    closedToKeys: false,
    public: false,
    writes,
    hasBody: body !== undefined,
    hasFields: false,
    limited: route.limited,
  });
  const operation = {
    tags: [schema.name],
    summary: row.summary,
    operationId: `${row.verb}${context.typeOf(schema.name)}${target.suffix}`,
    'x-resource': `content.${schema.name}.${row.actions[0] ?? ''}`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, row.bodyTexts) }),
    responses: { ...successes(row, type), ...failures.of([...errors, ...ownErrors(row, ability, writes)]) },
  };
  const path = route.path.replace('{schema}', context.segmentOf(schema)).replace('{relation}', target.relation);
  return { path, operation };
}

function bodyOf(body: Json, texts: readonly string[] = []): Json {
  const { content, ...more } = jsonBody(body);
  const asTexts = texts.map((media) => [media, { schema: { type: 'string' } }] as const);
  return { ...more, content: { ...(content as Json), ...Object.fromEntries(asTexts) } };
}

/** Returns whether a route is documented once for each schema. */
export function isContentRoute({ path }: DescribedRoute): boolean {
  return path.startsWith('/api/content/{schema}');
}

/** Returns the errors of the route and, for writes, those that the owner of the schema declares. */
function ownErrors({ errors }: ContentRow, { schema }: SchemaAbility, writes: boolean): ContentRow['errors'] {
  return writes ? [...errors, ...schema.traits.writeErrors] : errors;
}

function keyParameter({ path }: DescribedRoute, { schema }: SchemaAbility): readonly Json[] {
  const key = schema.fields[schema.primaryField];
  if (!path.includes('{id}') || key?.kind !== 'value') return [];
  return [{ name: 'id', in: 'path', required: true, schema: valueSchema(key, 'read', false) }];
}

function successes(
  { answer, texts = [], status = 200, minimal = false, conditional = false, headers = [] }: ContentRow,
  type: string,
): Json {
  const described =
    headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map((name) => [name, HEADERS[name]])) };
  const asTexts = texts.map((media) => [media, { schema: { type: 'string' } }] as const);
  const content = { 'application/json': { schema: answer(type) }, ...Object.fromEntries(asTexts) };
  if (status === 201) {
    const description = minimal ? 'Created. The body is empty with `Prefer: return=minimal`.' : 'Created.';
    return { 201: { description, ...described, content } };
  }
  return {
    [String(status)]: { description: 'Success.', ...described, content },
    ...(conditional ? { 304: { description: 'Not modified.', ...described } } : {}),
    ...(minimal ? { 204: { description: 'Success, with `Prefer: return=minimal`.', ...described } } : {}),
  };
}
