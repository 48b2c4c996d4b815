import { exampleOf } from './example.js';
import { type OpenApi, type Operation, type Parameter, resolve, type Schema } from './open-api.js';

/**
 * Converts the document for display. Data groups come first. Requests use the origin of the page, because the content security policy
 * allows no other. Request bodies have examples. Error bodies are omitted, because they all have the same form.
 */
export function shownDocument(document: OpenApi, origin: string): object {
  const { paths, components, tags, ...more } = document;
  const { securitySchemes: _schemes, responses = {}, parameters = {}, ...others } = components;
  const isData = (tag: { readonly 'x-schema'?: string }): boolean => tag['x-schema'] !== undefined;
  return {
    ...more,
    servers: [{ url: origin }],
    // The token is entered above, for the document and for all requests.
    security: [],
    tags: [...tags.filter(isData), ...tags.filter((tag) => !isData(tag))],
    paths: mapValues(paths, (operations) => mapValues(operations, (operation) => shown(document, operation))),
    components: {
      ...others,
      parameters: mapValues(parameters, (parameter) => withoutJson(document, parameter as Parameter)),
      responses: mapValues(responses, (response) => withoutContent(response as object)),
    },
  };
}

function accessOf(resource: string | undefined, security: unknown): string {
  if (resource !== undefined) return `Requires the permission \`${resource}\`.`;
  return Array.isArray(security) && security.length > 0 ? 'For signed-in users.' : 'Public.';
}

function shown(document: OpenApi, operation: Operation): object {
  const { security, parameters, requestBody, responses, description = '', ...more } = operation;
  const access = accessOf(operation['x-resource'], security);
  return {
    ...more,
    description: `${description}\n\n${access}`.trim(),
    ...(parameters === undefined ? {} : { parameters: parameters.map((item) => withoutJson(document, item)) }),
    ...(requestBody === undefined ? {} : { requestBody: withExamples(document, requestBody) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, one]) => [code, Number(code) < 400 ? one : withoutContent(one)]),
    ),
  };
}

function withExamples(document: OpenApi, body: NonNullable<Operation['requestBody']>): object {
  const content = mapValues(body.content, (media) =>
    media.schema === undefined || media.example !== undefined
      ? media
      : { ...media, example: exampleOf(document, media.schema) },
  );
  return { ...body, content };
}

/**
 * Converts a JSON parameter to text, with its example and its names in the description. Swagger UI would send the example with every
 * request.
 */
function withoutJson(document: OpenApi, parameter: Parameter): object {
  const { content, description = '', ...more } = parameter;
  const json = content?.['application/json'];
  const names = namesIn(document, json?.schema ?? parameter.schema ?? {});
  const notes = [
    ...(json?.example === undefined ? [] : [`For example \`${JSON.stringify(json.example)}\`.`]),
    ...(names.length === 0 ? [] : [`Names: ${names.map((name) => `\`${name}\``).join(', ')}.`]),
  ];
  if (json === undefined && notes.length === 0) return parameter;
  const text = [description, ...notes].join('\n\n').trim();
  return { ...more, description: text, schema: json === undefined ? TEXTS : { type: 'string' } };
}

const TEXTS = { type: 'array', items: { type: 'string' } };

function namesIn(document: OpenApi, schema: Schema): readonly string[] {
  const fields = Object.keys(resolve(document, schema).properties ?? {});
  const keys = (schema.items?.anyOf?.[0]?.enum ?? []) as readonly string[];
  return [...fields, ...keys].filter((name) => !/^[-$]/.test(name));
}

function withoutContent(response: object): object {
  const { content: _content, ...more } = response as { readonly content?: unknown };
  return more;
}

/** Returns the lower-case search texts by `method path`: the texts of the operation and the fields of its body. */
export function searchTexts(document: OpenApi): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [
        `${method} ${path}`,
        [operation.tags[0], method, path, operation.summary, operation.operationId, ...fieldsOf(document, operation)]
          .join(' ')
          .toLowerCase(),
      ]),
    ),
  );
}

/** Returns the fields of the first referenced schema, because a body can be a record or a list of them. */
function fieldsOf({ components }: OpenApi, { requestBody }: Operation): readonly string[] {
  const [, name = ''] = /schemas\/(\w+)/.exec(JSON.stringify(requestBody ?? '')) ?? [];
  return Object.keys((components['schemas']?.[name] as Schema | undefined)?.properties ?? {});
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  to: (value: Value) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]));
}
