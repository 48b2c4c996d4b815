import { folded, make, prose } from './elements.js';
import { curlOf, exampleOf } from './example.js';
import { heads, limitsOf, resolve, schemaView, scrollable, typeOf } from './schema-view.js';

/** One operation: a line, and everything about it once it is opened. */
export function operationView(document, entry) {
  const { method, path, operation } = entry;
  const summary = make(
    'summary',
    {},
    make('span', { class: `method ${method}` }, method.toUpperCase()),
    make('code', { class: 'path' }, path),
    make('span', { class: 'what' }, operation.summary),
  );
  return folded({ class: 'operation', id: operation.operationId }, summary, () => contents(document, entry));
}

function contents(document, entry) {
  const { operation } = entry;
  return [
    operation.description === undefined ? '' : prose(operation.description),
    access(operation),
    ...parameters(document, operation),
    ...body(document, operation),
    ...answers(document, operation),
    ...failures(document, operation),
    ...command(document, entry),
  ];
}

function access(operation) {
  const resource = operation['x-resource'];
  return prose(resource === undefined ? 'Open to everybody.' : `Needs the permission \`${resource}\`.`);
}

function parameters(document, { parameters: given = [] }) {
  if (given.length === 0) return [];
  const rows = given.map((one) => {
    const parameter = resolve(document, one);
    const json = parameter.content?.['application/json'];
    const schema = json?.schema ?? parameter.schema ?? {};
    const example = json?.example === undefined ? '' : `For example \`${JSON.stringify(json.example)}\``;
    const limits = limitsOf(schema);
    const notes = [parameter.description, limits && `(${limits})`, example].filter(Boolean).join(' ');
    return make(
      'tr',
      {},
      make(
        'th',
        { scope: 'row' },
        make('code', {}, parameter.name),
        parameter.required && make('span', { class: 'required' }, ' required'),
      ),
      make('td', {}, parameter.in),
      make('td', {}, parameterType(document, parameter, schema)),
      make('td', {}, prose(notes, 'span')),
    );
  });
  const table = make('table', {}, heads('Parameter', 'In', 'Type', 'Notes'), make('tbody', {}, ...rows));
  return [make('h3', {}, 'Parameters'), scrollable('Parameters', table)];
}

/** The keys of a sort, or the members of a filter, can be looked at. */
function parameterType(document, { content }, schema) {
  if (content !== undefined && schema.$ref !== undefined)
    return folded({ class: 'schema' }, make('summary', {}, `JSON: ${typeOf(document, schema)}`), () =>
      schemaView(document, schema),
    );
  const keys = schema.items?.enum ?? schema.items?.anyOf?.[0]?.enum;
  if (keys === undefined) return content === undefined ? typeOf(document, schema) : 'JSON';
  const names = keys.filter((key) => !key.startsWith('-')).join(', ');
  return folded({ class: 'schema' }, make('summary', {}, 'list, by commas'), () => make('p', {}, names));
}

function body(document, { requestBody }) {
  const schema = requestBody?.content?.['application/json']?.schema;
  if (schema === undefined) return [];
  const example = JSON.stringify(exampleOf(document, schema), null, 2);
  return [make('h3', {}, 'Body'), schemaView(document, schema), code('Example of a body', example)];
}

function answers(document, { responses }) {
  return Object.entries(responses).flatMap(([status, one]) => {
    const response = resolve(document, one);
    if (Number(status) >= 400) return [];
    const [type, media] = Object.entries(response.content ?? {})[0] ?? [];
    const headers = Object.keys(response.headers ?? {});
    return [
      make('h3', {}, `Answer ${status}`),
      prose([response.description, headers.length === 0 ? '' : `Headers: \`${headers.join('`, `')}\`.`].join(' ')),
      media === undefined
        ? ''
        : type === 'application/json'
          ? schemaView(document, media.schema)
          : prose(`\`${type}\``),
    ];
  });
}

function failures(document, { responses }) {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, one]) =>
      resolve(document, one)
        .description.split('\n\n')
        .map((line) => {
          const [code, ...meaning] = line.split(': ');
          return make(
            'tr',
            {},
            make('td', {}, status),
            make('th', { scope: 'row' }, prose(code, 'span')),
            make('td', {}, meaning.join(': ')),
          );
        }),
    );
  const table = make('table', {}, heads('Status', 'data.error', 'Meaning'), make('tbody', {}, ...rows));
  return [make('h3', {}, 'Errors'), scrollable('Errors', table)];
}

function command(document, entry) {
  return [make('h3', {}, 'With curl'), code('The request with curl', curlOf(document, entry))];
}

function code(label, text) {
  const status = make('span', { role: 'status' });
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    status.textContent = 'Copied';
  };
  return make(
    'div',
    { class: 'code' },
    make('pre', { tabindex: '0', role: 'region', 'aria-label': label }, make('code', {}, text)),
    navigator.clipboard && make('button', { type: 'button', 'aria-label': `Copy: ${label}`, click: copy }, 'Copy'),
    status,
  );
}
