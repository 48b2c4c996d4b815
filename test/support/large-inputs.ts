import type { DocumentInHand, DocumentedOperation } from './openapi-document.js';
import { Samples } from './samples.js';

type Json = Record<string, unknown>;

/** A request close to the size limits that contains as many items of a kind as fit. */
export interface LargeInput {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Just below the body limit of 1 MiB. */
const BODY_BYTES = 1_040_000;

/** Just below Node's limit for the request head. */
const HEAD_BYTES = 14_000;

const ID = '01900000-0000-7000-8000-000000000001';
const BOUNDARY = 'x';

const BODIES_OF_OTHER_TYPES: readonly (readonly [type: string, name: string, body: () => Buffer])[] = [
  ['text/csv', 'names', () => filled((at) => `k${at},`)],
  ['text/csv', 'equal names', () => filled(() => 'title,')],
  ['text/csv', 'empty names', () => filled(() => ',')],
  ['text/csv', 'rows', () => filled(() => 'x\n', 'title\n')],
  ['text/csv', 'cells of one row', () => filled(() => ',', 'title\n')],
  ['text/csv', 'quotes', () => filled(() => '""', 'title\n"')],
  ['text/csv', 'line ends', () => filled(() => '\r', 'title\n')],
  ['application/x-ndjson', 'rows', () => filled(() => '{}\n')],
  ['application/x-ndjson', 'names', () => filled((at) => `"k${at}":1,`, '{', '"k":1}')],
  ['application/x-ndjson', 'depth', () => filled(() => '[')],
  ['application/x-www-form-urlencoded', 'equal names', () => filled(() => 'a&')],
  ['application/x-www-form-urlencoded', 'names', () => filled((at) => `k${at}&`)],
  ['application/x-www-form-urlencoded', 'brackets', () => filled(() => '[a]', 'a', '=1')],
  ['application/x-www-form-urlencoded', 'escapes', () => filled(() => '%41', 'a=')],
  ['multipart/form-data', 'boundaries', () => filled(() => `--${BOUNDARY}\r\n`)],
  ['multipart/form-data', 'fields', () => filled((at) => part(`name="k${at}"`), '', `--${BOUNDARY}--\r\n`)],
  ['multipart/form-data', 'files', () => filled(() => part('name="file"; filename="a"'), '', `--${BOUNDARY}--\r\n`)],
  ['multipart/form-data', 'headers', () => filled((at) => `x-${at}: 1\r\n`, `--${BOUNDARY}\r\n`)],
  [
    'multipart/form-data',
    'parameters',
    () => filled((at) => `;a${at}=b`, `--${BOUNDARY}\r\ncontent-disposition: form-data`),
  ],
  ['multipart/form-data', 'near boundaries', () => filled(() => '\r\n--', part('name="file"; filename="a"'))],
];

/** Texts that are expensive for careless parsers. */
const TEXTS: readonly (readonly [name: string, text: (bytes: number) => string])[] = [
  ['letters', (bytes) => 'a'.repeat(bytes)],
  ['spaces', (bytes) => `${' '.repeat(bytes - 1)}x`],
  ['digits', (bytes) => '9'.repeat(bytes)],
  ['commas', (bytes) => 'a,'.repeat(bytes / 2)],
  ['names', (bytes) => manyNames(bytes)],
  ['dots', (bytes) => 'a.'.repeat(bytes / 2)],
  ['at signs', (bytes) => 'a@a.'.repeat(bytes / 4)],
  ['brackets', (bytes) => '('.repeat(bytes)],
  ['lists', (bytes) => `[${'1,'.repeat(bytes / 2 - 1)}1]`],
  ['terms', (bytes) => `a${'||a'.repeat(bytes / 3 - 1)}`],
  ['negations', (bytes) => '!'.repeat(bytes)],
  ['slashes', (bytes) => '/'.repeat(bytes)],
  ['semicolons', (bytes) => 'a=b;'.repeat(bytes / 4)],
  ['accents', (bytes) => `a${'\u0301'.repeat(bytes / 2)}`],
];

/** YAML that is expensive to parse, for the converters. */
const YAML: readonly (readonly [name: string, piece: (at: number) => string, head?: string])[] = [
  ['keys', (at) => `k${at}: 1\n`],
  ['equal keys', () => 'k: 1\n'],
  ['keys of a flow', (at) => `k${at}: 1,`, 'a: {'],
  ['commas of a flow', () => ',', 'a: ['],
  ['flows', () => '['],
  ['flow objects', () => '{a: '],
  ['lists of lists', () => '- '],
  ['complex keys', () => '? '],
  ['quotes', () => '"'],
  ['tags', () => '!!str '],
  ['anchors', (at) => `- &a${at} 1\n`],
  ['aliases', () => '- *a\n', '- &a 1\n'],
  ['merges', (at) => `b${at}: {<<: *a}\n`, 'a: &a {x: 1}\n'],
  ['documents', () => '---\n'],
  ['directives', () => '%YAML 1.2\n'],
  ['comments', () => '#\n'],
  ['numbers', () => '- 1_000\n'],
  ['folded texts', () => '  x\n\n', 'a: >\n'],
  ['line ends', () => '\r'],
];

/** Headers that the service or a proxy parses. */
const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['cookie', 'a=b; '],
  ['cookie', 'token=a; '],
  ['authorization', 'Bearer '],
  ['accept', 'a/b;q=0.1, '],
  ['accept-encoding', 'a, '],
  ['accept-language', 'a, '],
  ['if-none-match', '"a", '],
  ['if-match', '"a", '],
  ['range', 'bytes=0-0,'],
  ['x-forwarded-for', '1.1.1.1, '],
  ['forwarded', 'for=a;'],
  ['content-type', 'a/b;'],
  ['upload-metadata', 'a YQ==,'],
  ['idempotency-key', 'a'],
  ['origin', 'http://a'],
  ['traceparent', '00-'],
];

/**
 * Generates large inputs for every operation of a document.
 *
 * @param share number of texts and headers per place, in rotation. Each operation gets all shapes.
 */
export function* largeInputs(document: DocumentInHand, share: number): Generator<LargeInput> {
  const samples = new Samples(document);
  const [texts, headers] = [inTurns(TEXTS, share), inTurns(HEADERS, share)];
  for (const operation of document.operations()) {
    yield* ofQuery(operation, texts);
    yield* ofHeaders(operation, headers());
    if (operation.path === '/api/schema/convert') yield* yamlFiles(operation);
    const content = (operation.requestBody?.['content'] ?? {}) as Record<string, { schema?: unknown }>;
    for (const type of Object.keys(content)) {
      const withType = { 'content-type': type === 'multipart/form-data' ? `${type}; boundary=${BOUNDARY}` : type };
      if (type.includes('json') && !type.includes('ndjson'))
        for (const [name, body] of jsonBodies(samples, document, content[type]?.schema, texts))
          yield { ...requestOf(operation, name), headers: withType, body: Buffer.from(body) };
      for (const [ofType, name, body] of BODIES_OF_OTHER_TYPES)
        if (ofType === type) yield { ...requestOf(operation, `${type} ${name}`), headers: withType, body: body() };
    }
  }
}

function* yamlFiles(operation: DocumentedOperation): Generator<LargeInput> {
  for (const [name, piece, head] of YAML)
    // The smaller file is below the line limit.
    for (const [size, bytes] of [
      ['', 450_000],
      ['few ', 150_000],
    ] as const) {
      const files = [{ name: 'snapshot.yaml', text: filled(piece, head, '', bytes).toString() }];
      const body = Buffer.from(JSON.stringify({ source: 'directus', files }));
      yield {
        ...requestOf(operation, `YAML of ${size}${name}`),
        headers: { 'content-type': 'application/json' },
        body,
      };
    }
}

/** Returns a function that returns the next `count` items of a list, in rotation. */
function inTurns<T>(list: readonly T[], count: number): () => T[] {
  let next = 0;
  return () => Array.from({ length: Math.min(count, list.length) }, () => list[next++ % list.length] as T);
}

function requestOf(operation: DocumentedOperation, name: string): Omit<LargeInput, 'headers' | 'body'> {
  const method = operation.method.toUpperCase();
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    parameter === 'schema' ? 'posts' : ID,
  );
  return { name: `${method} ${operation.path}: ${name}`, method, path };
}

function* ofQuery(operation: DocumentedOperation, texts: () => typeof TEXTS): Generator<LargeInput> {
  const request = requestOf(operation, '');
  const names = ((operation.parameters ?? []) as { name: string; in: string }[])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => name);
  const queries: [string, string][] = [['unknown parameters', manyNames(HEAD_BYTES).replaceAll(',', '&')]];
  for (const name of names) {
    queries.push([`${name} repeated`, `${encodeURIComponent(name)}=a&`.repeat(HEAD_BYTES / (name.length + 5))]);
    for (const [kind, text] of texts())
      queries.push([`${name} of ${kind}`, `${name}=${cut(encodeURIComponent(text(HEAD_BYTES)))}`]);
    queries.push([`${name} of conditions`, `${name}=${cut(`{"$or":[${'{"name":"a"},'.repeat(900)}{}]}`)}`]);
  }
  for (const [kind, query] of queries)
    yield {
      ...request,
      name: `${request.name}?${kind}`,
      path: `${request.path}?${query}`,
      headers: {},
      body: undefined,
    };
}

function* ofHeaders(operation: DocumentedOperation, headers: typeof HEADERS): Generator<LargeInput> {
  for (const [name, value] of headers)
    yield {
      ...requestOf(operation, `${name}: ${value}`),
      headers: { [name]: value.repeat(HEAD_BYTES / value.length).trim() },
      body: undefined,
    };
}

/** Cuts an encoded text without splitting a percent escape. */
function cut(text: string): string {
  return text.slice(0, HEAD_BYTES).replace(/%.?$/, '');
}

function* jsonBodies(
  samples: Samples,
  document: DocumentInHand,
  schema: unknown,
  texts: () => typeof TEXTS,
): Generator<[string, string]> {
  yield ['unknown members', object('1')];
  yield ['numbers', list('1')];
  yield ['objects', list('{}')];
  yield ['lists', list('[]')];
  yield ['depth', `${'['.repeat(BODY_BYTES / 2)}${']'.repeat(BODY_BYTES / 2)}`];
  const base = samples.of(schema);
  for (const [place, part] of placesOf(document, schema)) {
    const at = place.join('.');
    const put = (text: string): string =>
      JSON.stringify(replaced(base, place, '\u0001')).replace('"\\u0001"', () => text);
    yield [`${at} numbers`, put(list('1'))];
    yield [`${at} objects`, put(list('{}'))];
    yield [`${at} members`, put(object('1'))];
    yield [`${at} members of objects`, put(object('{}'))];
    if (isList(part)) yield [`${at} items`, put(list(JSON.stringify(samples.of(part['items'])) ?? 'null'))];
    if (typeof part['additionalProperties'] === 'object')
      yield [`${at} values`, put(object(JSON.stringify(samples.of(part['additionalProperties']))))];
    for (const [kind, text] of texts()) yield [`${at} ${kind}`, put(JSON.stringify(text(BODY_BYTES - 40_000)))];
  }
}

function placesOf(document: DocumentInHand, schema: unknown, path: readonly string[] = []): [string[], Json][] {
  const resolved = resolve(document, schema);
  if (path.length > 3) return [];
  const here: [string[], Json][] = path.length === 0 ? [] : [[[...path], resolved]];
  const inner = isList(resolved)
    ? placesOf(document, resolved['items'], [...path, '0'])
    : Object.entries((resolved['properties'] ?? {}) as Json).flatMap(([name, member]) =>
        placesOf(document, member, [...path, name]),
      );
  return [...here, ...inner];
}

function resolve(document: DocumentInHand, schema: unknown): Json {
  const { $ref, allOf, anyOf, oneOf, ...rest } = (schema ?? {}) as Json;
  if (typeof $ref === 'string') return resolve(document, document.at($ref));
  const [first] = [anyOf, oneOf].find(Array.isArray) ?? [];
  if (first !== undefined) return resolve(document, first);
  if (!Array.isArray(allOf)) return rest;
  const parts = allOf.map((part) => resolve(document, part));
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map((part) => part['properties'])),
  } as Json;
}

function isList(schema: Json): boolean {
  return schema['type'] === 'array' || (Array.isArray(schema['type']) && schema['type'].includes('array'));
}

function replaced(value: unknown, [step, ...rest]: readonly string[], other: unknown): unknown {
  if (step === undefined) return other;
  if (Array.isArray(value) || (step === '0' && value === null))
    return [replaced((value as unknown[] | null)?.[0], rest, other)];
  return { ...(value as Json), [step]: replaced((value as Json | null)?.[step] ?? null, rest, other) };
}

function list(item: string): string {
  const count = Math.floor((BODY_BYTES - 40_000) / (item.length + 1));
  return `[${Array.from({ length: Math.max(count, 1) }, () => item).join(',')}]`;
}

function object(value: string): string {
  const members: string[] = [];
  for (let bytes = 0; bytes < BODY_BYTES - 40_000; bytes += members.at(-1)!.length + 1)
    members.push(`"k${members.length}":${value}`);
  return `{${members.join(',')}}`;
}

function manyNames(bytes: number): string {
  return filled((at) => `k${at},`, '', '', bytes).toString();
}

function part(disposition: string): string {
  return `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n\r\n`;
}

function filled(piece: (at: number) => string, head = '', tail = '', limit = BODY_BYTES): Buffer {
  const pieces = [head];
  for (let bytes = head.length + tail.length; bytes < limit - 20; bytes += pieces.at(-1)!.length)
    pieces.push(piece(pieces.length));
  return Buffer.from(pieces.join('') + tail);
}

/** Returns an input that the service only parses as JSON; by default a list of empty objects. */
export function parsedAndRefused(body: Buffer = Buffer.from(list('{}'))): LargeInput {
  const headers = { 'content-type': 'application/json' };
  return { name: '', method: 'POST', path: '/api/auth/local/login', headers, body };
}
