import { schemaWith } from './body-schema.js';
import type { DescribedOperation, DescribedRoute } from './described-route.js';
import type { Failures } from '../document/failures.js';
import { sharedErrors } from '../document/failures.js';
import { parameterRef, type Json } from '../document/references.js';

/** Shared headers. A route only declares their names. */
const HEADERS: Readonly<Record<string, Json>> = {
  'If-Match': parameterRef('IfMatch'),
  'Idempotency-Key': parameterRef('IdempotencyKey'),
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: '`ETag` of the cached response.',
    schema: { type: 'string' },
  },
};

const SIGNED_IN: readonly Json[] = [{ bearer: [] }, { cookie: [] }];
/** Also without authentication: permissions decide about guests. */
export const FOR_EVERYBODY: readonly Json[] = [...SIGNED_IN, {}];

export function tagsOf({ described: { tags = [] } }: DescribedRoute): readonly string[] {
  return tags.length === 0 ? ['More'] : tags;
}

/**
 * Returns the operation of a route that is not content, from its code and its decorators.
 *
 * @param schemas the classes of responses and bodies.
 */
export function fixedOperation(
  route: DescribedRoute,
  schemas: Readonly<Record<string, Json>>,
  failures: Failures,
): Json {
  const {
    summary = route.key,
    description,
    tags: _tags,
    operationId: _id,
    security: _security,
    ...more
  } = route.described;
  const { parameters: _parameters, requestBody: _body, responses: _responses, ...extensions } = more;
  const body = bodyOf(route, schemas);
  const errors = sharedErrors({
    public: route.access.public,
    closedToKeys: route.closedToKeys,
    writes: route.method !== 'get',
    hasBody: route.hasBody || body !== undefined,
    hasFields: route.body !== null,
    limited: route.limited,
  });
  const parameters = parametersOf(route);
  return {
    tags: tagsOf(route),
    summary: summary === '' ? route.key : summary,
    ...(description === undefined ? {} : { description }),
    operationId: route.id,
    ...extensions,
    ...accessOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(route, failures.of([...errors, ...route.errors])),
  };
}

export function jsonBody(schema: Json): Json {
  return { required: true, content: { 'application/json': { schema } } };
}

/** Returns the body of a route: the class with its checks, or the description if there is no class. */
function bodyOf(
  { body, described, otherBodies }: DescribedRoute,
  schemas: Readonly<Record<string, Json>>,
): Json | undefined {
  const { content, ...more } = (described.requestBody ?? {}) as { readonly content?: Record<string, Json> };
  if (body === null && (content === undefined || Object.values(content).every(isEmptySchema))) return undefined;
  const schema = body === null ? undefined : schemaWith(body, schemas);
  const stated = schema === undefined ? content : { 'application/json': { ...content?.['application/json'], schema } };
  const same = stated?.['application/json'] ?? {};
  const otherContent = otherBodies.map(
    (type) => [type, type === 'application/zip' ? { schema: ARCHIVE } : same] as const,
  );
  return { required: true, ...more, content: { ...stated, ...Object.fromEntries(otherContent) } };
}

const ARCHIVE = { type: 'string', format: 'binary' };

/** Returns whether a body has no description. @nestjs/swagger describes a body of unknown form as a bare object. */
function isEmptySchema({ schema }: Json): boolean {
  const { type, ...more } = (schema ?? {}) as Json;
  return (type === undefined || type === 'object') && Object.keys(more).length === 0;
}

function parametersOf({ path, described }: DescribedRoute): readonly Json[] {
  const stated = (described.parameters ?? []) as unknown as readonly Json[];
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...stated.find((parameter) => parameter['in'] === 'path' && parameter['name'] === name),
  }));
  return [...inPath, ...stated.filter((parameter) => parameter['in'] !== 'path').map(sharedHeader)];
}

function sharedHeader(parameter: Json): Json {
  const shared = parameter['in'] === 'header' ? HEADERS[String(parameter['name'])] : undefined;
  return shared === undefined || parameter['description'] !== undefined ? parameter : shared;
}

function accessOf({ access }: DescribedRoute): Json {
  if (access.public) return { security: [] };
  const security = access.byRecord === true ? FOR_EVERYBODY : SIGNED_IN;
  return { security, ...(access.resource !== null && { 'x-resource': access.resource }) };
}

/**
 * Returns the described responses and the errors. If both have a status, the error codes are kept and the description is that of the route.
 */
function responsesOf(route: DescribedRoute, failures: Readonly<Record<string, Json>>): Json {
  const stated = statedResponses(route);
  const successes = stated.filter(([status]) => Number(status) < 400);
  const otherContent = stated.filter(([status]) => Number(status) >= 400);
  return {
    ...(successes.length === 0 ? { [route.status]: { description: meaning(route.status) } } : {}),
    ...Object.fromEntries(successes),
    ...failures,
    ...Object.fromEntries(
      otherContent.map(([status, answer]) => {
        const failure = failures[status];
        const { description } = answer;
        return [
          status,
          failure === undefined ? answer : { ...failure, ...(description === '' ? {} : { description }) },
        ];
      }),
    ),
  };
}

function statedResponses({ described, status }: DescribedRoute): readonly (readonly [string, Json])[] {
  const responses = (described.responses ?? {}) as NonNullable<DescribedOperation['responses']>;
  return Object.entries(responses).map(([stated, answer]) => {
    const code = stated === 'default' ? String(status) : stated;
    const { description = '', ...more } = answer as unknown as Json & { readonly description?: string };
    return [
      code,
      { description: description === '' && Number(code) < 400 ? meaning(Number(code)) : description, ...more },
    ];
  });
}

function meaning(status: number): string {
  return { 200: 'Success.', 201: 'Created.', 302: 'Redirect.', 303: 'Redirect.' }[status] ?? 'Success.';
}
