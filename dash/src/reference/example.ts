import { type OpenApi, resolve, type Schema } from './open-api.js';

const BY_FORMAT: Readonly<Record<string, unknown>> = {
  uuid: '01890000-0000-7000-8000-000000000000',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  email: 'ann@example.com',
  password: 'sturdy walnut 47',
  uri: 'http://127.0.0.1:8123/callback',
  byte: 'AAEC',
};
const BY_TYPE: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 1.5, boolean: true };
/** Maximum number of fields in a body, unless more are required. */
const MAX_FIELDS = 4;

/** Returns a value that matches a schema: the required fields, and the first optional ones. */
export function exampleOf(document: OpenApi, schema: Schema, depth = 0): unknown {
  const resolved = resolve(document, schema);
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum !== undefined) return resolved.enum[0];
  if (resolved.properties !== undefined || resolved.allOf !== undefined) return objectOf(document, resolved, depth);
  if (resolved.anyOf?.[0] !== undefined) return exampleOf(document, resolved.anyOf[0], depth);
  const [type = ''] = [resolved.type ?? []].flat() as readonly string[];
  if (type === 'array') return depth > 2 ? [] : [exampleOf(document, resolved.items ?? {}, depth + 1)];
  return BY_FORMAT[resolved.format ?? ''] ?? resolved.examples?.[0] ?? BY_TYPE[type] ?? {};
}

function objectOf(document: OpenApi, { properties = {}, required = [], allOf = [] }: Schema, depth: number): object {
  const more = depth > 0 ? [] : optionalOf(properties, required).slice(0, Math.max(0, MAX_FIELDS - required.length));
  const own = Object.entries(properties)
    .filter(([name]) => required.includes(name) || more.includes(name))
    .map(([name, field]) => [name, exampleOf(document, field, depth + 1)]);
  return Object.assign({}, ...allOf.map((part) => exampleOf(document, part, depth)), Object.fromEntries(own)) as object;
}

/** Returns the plain optional fields. Relations are left out, because the records of an example do not exist. */
function optionalOf(properties: Readonly<Record<string, Schema>>, required: readonly string[]): readonly string[] {
  return Object.entries(properties)
    .filter(
      ([, { type, anyOf, $ref }]) =>
        type !== undefined && type !== 'array' && anyOf === undefined && $ref === undefined,
    )
    .map(([name]) => name)
    .filter((name) => !required.includes(name) && !name.startsWith('$'));
}
