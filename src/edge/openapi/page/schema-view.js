import { folded, make, prose } from './elements.js';

/** What a reference of the document leads to; the value itself where it is none. */
export function resolve(document, value) {
  if (typeof value?.$ref !== 'string') return value ?? {};
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((place, name) => place?.[name], document);
}

/** The last part of a reference. */
export function nameOf({ $ref: reference }) {
  return typeof reference === 'string' ? reference.split('/').at(-1) : '';
}

/** A schema in a few words: `string (uuid) or null`. */
export function typeOf(document, schema) {
  if (schema.$ref !== undefined) return nameOf(schema);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const several = schema.anyOf ?? schema.allOf;
  if (several !== undefined)
    return several.map((one) => typeOf(document, one)).join(schema.anyOf === undefined ? ' and ' : ' or ');
  if (schema.type === undefined) return schema.properties === undefined ? 'any' : 'object';
  const format = schema.format === undefined ? '' : ` (${schema.format})`;
  return [schema.type]
    .flat()
    .map((type) => (type === 'array' ? `list of ${typeOf(document, schema.items ?? {})}` : type))
    .join(' or ')
    .concat(format);
}

const LIMITS = {
  minLength: 'at least $ characters',
  maxLength: 'at most $ characters',
  minimum: 'from $',
  maximum: 'to $',
  maxItems: 'at most $ entries',
  default: 'default $',
};

/** The limits of a schema in words. */
export function limitsOf(schema) {
  // What JSON numbers can hold at all is no limit worth telling.
  const found = Object.entries(LIMITS).filter(
    ([name]) => schema[name] !== undefined && Math.abs(schema[name]) !== Number.MAX_SAFE_INTEGER,
  );
  const words = found.map(([name, text]) =>
    text.replace('$', typeof schema[name] === 'object' ? JSON.stringify(schema[name]) : schema[name]),
  );
  if (schema.readOnly) words.push('read only');
  if (schema.writeOnly) words.push('never answered');
  return words.join(', ');
}

/** A schema as a table of its fields; what it refers to opens below. */
export function schemaView(document, schema) {
  const parts = [];
  const resolved = resolve(document, schema);
  if (resolved.description !== undefined) parts.push(prose(resolved.description));
  const fields = fieldsOf(document, schema);
  if (fields.length > 0) parts.push(fieldTable(document, fields));
  else parts.push(make('p', { class: 'type' }, typeOf(document, schema.$ref === undefined ? schema : resolved)));
  const inner = referencesOf([...fields.map(([, field]) => field), ...(fields.length === 0 ? [resolved] : [])]);
  for (const reference of inner.filter((name) => name !== schema.$ref)) {
    parts.push(
      folded({ class: 'schema' }, make('summary', {}, nameOf({ $ref: reference })), () =>
        schemaView(document, { $ref: reference }),
      ),
    );
  }
  return make('div', { class: 'schema-view' }, ...parts);
}

/** The fields of an object, those of all its parts together: name, schema, whether it must be there. */
function fieldsOf(document, schema) {
  const resolved = resolve(document, schema);
  const own = Object.entries(resolved.properties ?? {}).map(([name, field]) => [
    name,
    field,
    (resolved.required ?? []).includes(name),
  ]);
  return [...(resolved.allOf ?? []).flatMap((part) => fieldsOf(document, part)), ...own];
}

function fieldTable(document, fields) {
  const rows = fields.map(([name, field, required]) =>
    make(
      'tr',
      {},
      make(
        'th',
        { scope: 'row' },
        make('code', {}, name),
        required && make('span', { class: 'required' }, ' required'),
      ),
      make('td', {}, typeOf(document, field)),
      make('td', {}, prose([limitsOf(field), field.description].filter(Boolean).join('. '), 'span')),
    ),
  );
  return scrollable('Fields', make('table', {}, heads('Field', 'Type', 'Notes'), make('tbody', {}, ...rows)));
}

/** The head of a table. */
export function heads(...names) {
  return make('thead', {}, make('tr', {}, ...names.map((name) => make('th', { scope: 'col' }, name))));
}

/** A table that scrolls by itself where the screen is small; by keys too. */
export function scrollable(label, table) {
  return make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, table);
}

/** The references that stand in schemas, each once. */
function referencesOf(schemas) {
  const text = JSON.stringify(schemas);
  return [...new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference))];
}
