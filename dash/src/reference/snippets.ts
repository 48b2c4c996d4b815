import { exampleOf } from './example.js';
import { type OpenApi, resolve } from './open-api.js';

export interface SampleRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Language {
  readonly title: string;
  /** Syntax highlighting of Swagger UI. */
  readonly syntax: string;
  readonly write: (request: SampleRequest) => string;
}

/** Languages of the samples. They use the variable `TOKEN` instead of a real token. */
export const LANGUAGES: readonly Language[] = [
  { title: 'curl', syntax: 'bash', write: curl },
  { title: 'fetch', syntax: 'javascript', write: javaScript },
  { title: 'Python', syntax: 'plaintext', write: python },
];

/** Returns the sample request of an operation, with example values; null if it does not exist. */
export function sampleRequest(document: OpenApi, path: string, method: string, origin: string): SampleRequest | null {
  const operation = document.paths[path]?.[method];
  if (operation === undefined) return null;
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
  const valueOf = (name: string, location: string): string => {
    const parameter = parameters.find((item) => item.in === location && item.name === name);
    return String(exampleOf(document, parameter?.schema ?? { type: 'string' }));
  };
  const query = parameters.flatMap(({ in: location, name, required, content }) => {
    if (location !== 'query') return [];
    const json = content?.['application/json'];
    if (json !== undefined && name === 'filter') return [[name, JSON.stringify(json.example ?? {})]];
    return required === true ? [[name, valueOf(name, 'query')]] : [];
  });
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(valueOf(name, 'path')));
  const search = query.map(([name = '', value = '']) => `${name}=${encodeURIComponent(value)}`).join('&');
  const isOpen = operation.security?.length === 0;
  const content = operation.requestBody?.content;
  const schema = content?.['application/json']?.schema;
  const [type] = schema === undefined ? Object.keys(content ?? {}) : ['application/json'];
  return {
    url: origin + filled + (search === '' ? '' : `?${search}`),
    method: method.toUpperCase(),
    headers: {
      ...(isOpen ? {} : { authorization: 'Bearer' }),
      ...(type === undefined ? {} : { 'content-type': type }),
    },
    ...(schema === undefined ? {} : { body: JSON.stringify(exampleOf(document, schema)) }),
  };
}

/** Returns lower-case headers, without those that clients add automatically. */
function headersOf({ headers = {} }: SampleRequest): readonly (readonly [string, string])[] {
  return Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => !(name === 'accept' && (value === '*/*' || value === 'application/json')));
}

const isToken = (name: string): boolean => name === 'authorization';
const textOf = ({ body }: SampleRequest): string | null =>
  body === undefined || body === null || body === '' ? null : typeof body === 'string' ? body : JSON.stringify(body);

function curl(request: SampleRequest): string {
  const body = textOf(request);
  const method = request.method === 'GET' ? '' : ` -X ${request.method}`;
  return [
    `curl${method} ${quote(request.url)}`,
    ...headersOf(request).map(([name, value]) =>
      isToken(name) ? '-H "Authorization: Bearer $TOKEN"' : `-H ${quote(`${name}: ${value}`)}`,
    ),
    ...(body === null ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function javaScript(request: SampleRequest): string {
  const headers = headersOf(request).map(([name, value]) =>
    isToken(name)
      ? `    authorization: \`Bearer \${TOKEN}\`,`
      : `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  const body = textOf(request);
  const options = [
    ...(request.method === 'GET' ? [] : [`  method: ${JSON.stringify(request.method)},`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === null ? [] : [`  body: ${json(body, (text) => `JSON.stringify(${text})`)},`]),
  ];
  const optionsText = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const response = await fetch(${JSON.stringify(request.url)}${optionsText});\nconsole.log(response.status, await response.text());`;
}

/** Formats a JSON body as a literal of the language, and any other body as a string. */
function json(body: string, write: (text: string) => string): string {
  try {
    return write(JSON.stringify(JSON.parse(body), null, 2).replaceAll('\n', '\n  '));
  } catch {
    return JSON.stringify(body);
  }
}

function python(request: SampleRequest): string {
  const headers = headersOf(request).map(([name, value]) =>
    isToken(name)
      ? `        "authorization": f"Bearer {TOKEN}",`
      : `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  const body = textOf(request);
  return [
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${JSON.stringify(request.url)},`,
    `    method=${JSON.stringify(request.method)},`,
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    // A JSON string is also a valid Python string.
    ...(body === null ? [] : [`    data=${JSON.stringify(body)}.encode(),`]),
    ')',
    'with urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n');
}
