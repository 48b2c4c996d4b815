import type { OperationRow } from '../operations/operation-row.types.js';
import { operationRow } from '../operations/operations.js';
import { bodySchema } from '../routes/body-schema.js';
import type { DescribedRoute } from '../routes/described-route.js';
import type { Failures } from './failures.js';
import { sharedErrors } from './failures.js';
import type { Json } from './json-text.types.js';

const IF_NONE_MATCH: Json = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of what is there already.',
  schema: { type: 'string' },
};

/** The ways to show who one is. */
const SIGNED_IN: readonly Json[] = [{ bearer: [] }, { cookie: [] }];
/** The same, or nobody in particular: what guests may do is for permissions to say. */
export const FOR_EVERYBODY: readonly Json[] = [...SIGNED_IN, {}];

/** The operation of a route beside content: what its code says of it, and its row. */
export function fixedOperation(route: DescribedRoute, failures: Failures): Json {
  const row = operationRow(route.key);
  const body = route.body === null ? row.body : bodySchema(route.body);
  const errors = sharedErrors({
    public: route.access.public,
    writes: route.method !== 'get',
    takesBody: route.takesBody || row.body !== undefined,
    hasFields: route.body !== null,
    limited: route.limited,
  });
  const conditional = row.validated === true ? [IF_NONE_MATCH] : [];
  const parameters = [...pathParameters(route.path), ...(row.parameters ?? []), ...conditional];
  return {
    tags: [row.tag],
    summary: row.summary,
    ...(row.description === undefined ? {} : { description: row.description }),
    operationId: route.id,
    ...accessOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: jsonBody(body, row.otherBodies) }),
    responses: {
      ...successes(route),
      ...failures.of([...errors, ...route.refusals, ...(row.errors ?? [])]),
    },
  };
}

/** A JSON body that must be there, or one of another type. */
export function jsonBody(schema: Json, others: OperationRow['otherBodies'] = {}): Json {
  return { required: true, content: { 'application/json': { schema }, ...contentOf(others) } };
}

function contentOf(schemas: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(schemas).map(([mediaType, schema]) => [mediaType, { schema }]));
}

/** The parameters that stand in a path. */
function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function accessOf({ access }: DescribedRoute): Json {
  if (access.public) return { security: [] };
  const security = access.byRecord === true ? FOR_EVERYBODY : SIGNED_IN;
  return { security, 'x-resource': access.resource };
}

function successes({ key, status }: DescribedRoute): Json {
  const row = operationRow(key);
  const { answer, mediaType = 'application/json', otherAnswers = {}, statuses = [status], headers } = row;
  const content = answer === undefined ? {} : { content: contentOf({ [mediaType]: answer, ...otherAnswers }) };
  const added = headers === undefined ? {} : { headers };
  return {
    ...Object.fromEntries(statuses.map((code) => [String(code), { description: meaning(code), ...added, ...content }])),
    ...(row.validated === true ? { 304: { description: 'Still what the tag says.', ...added } } : {}),
  };
}

function meaning(status: number): string {
  return { 200: 'Done.', 201: 'Made.', 302: 'Go on there.', 303: 'Go on there.' }[status] ?? 'Done.';
}
