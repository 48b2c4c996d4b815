import { resolve } from './schema-view.js';

const BY_FORMAT = {
  uuid: '01890000-0000-7000-8000-000000000000',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  email: 'ann@example.com',
  password: 'sturdy walnut 47',
  uri: 'http://127.0.0.1:8123/callback',
  byte: 'AAEC',
};
const BY_TYPE = { string: 'text', integer: 1, number: 1.5, boolean: true };

/** A value that a schema takes: what must be there, and of the rest the first few. */
export function exampleOf(document, schema, depth = 0) {
  const resolved = resolve(document, schema);
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum !== undefined) return resolved.enum[0];
  if (resolved.properties !== undefined || resolved.allOf !== undefined) return objectOf(document, resolved, depth);
  if (resolved.anyOf !== undefined) return exampleOf(document, resolved.anyOf[0], depth);
  const [type] = [resolved.type].flat();
  if (type === 'array') return depth > 2 ? [] : [exampleOf(document, resolved.items ?? {}, depth + 1)];
  return BY_FORMAT[resolved.format] ?? resolved.examples?.[0] ?? BY_TYPE[type] ?? {};
}

const MOST_FIELDS = 4;

function objectOf(document, { properties = {}, required = [], allOf = [] }, depth) {
  const inherited = allOf.map((part) => exampleOf(document, part, depth));
  const optional = Object.keys(properties).filter((name) => !required.includes(name) && !name.startsWith('$'));
  const shown = depth > 0 ? [] : optional.slice(0, Math.max(0, MOST_FIELDS - required.length));
  const names = [...required.filter((name) => properties[name] !== undefined), ...shown];
  const own = names.map((name) => [name, exampleOf(document, properties[name], depth + 1)]);
  return Object.assign({}, ...inherited, Object.fromEntries(own));
}

/** A command that makes the request. */
export function curlOf(document, { method, path, operation }) {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
  const url = path.replace(/\{(\w+)\}/g, (_, name) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    const value = exampleOf(document, parameter?.schema ?? {});
    return value === 'text' ? `$${name.toUpperCase()}` : String(value);
  });
  const asked = parameters.filter((one) => one.in === 'query' && one.content !== undefined && one.name === 'filter');
  const given = asked.map(({ name, content }) => [name, JSON.stringify(content['application/json'].example ?? {})]);
  // What is sent as data would end in the query too, so only a request without a body leaves the encoding to curl.
  const query = given.map(([name, value]) => ` -G --data-urlencode ${quoted(`${name}=${value}`)}`);
  const encoded = given.map(([name, value], at) => `${at === 0 ? '?' : '&'}${name}=${encodeURIComponent(value)}`);
  const isOpen = (operation.security ?? document.security ?? []).length === 0;
  const body = operation.requestBody?.content?.['application/json']?.schema;
  const lines = [
    method === 'get'
      ? `curl "$BASE${url}"${query.join('')}`
      : `curl -X ${method.toUpperCase()} "$BASE${url}${encoded.join('')}"`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(json(document, body))}`]),
  ];
  return lines.join(' \\\n  ');
}

function json(document, schema) {
  return JSON.stringify(exampleOf(document, schema));
}

/** A text as one word of a shell. */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
