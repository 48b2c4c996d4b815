import { type DocumentedOperation, DocumentInHand } from '../../support/openapi-document.js';
import { field, schema } from '../../support/schema-definitions.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;

const NUL = 'a\u0000b';
const HALF = 'a\ud800';
/** Values of parameters: JSON whose text cannot be stored. */
const IN_JSON = ['{"\\u0000":"title"}', '{"title":"\\u0000"}', '{"title":{"$eq":"\\ud800"}}'];
const DEEPEST = 4;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Columns that report unstorable text. */
const REPORTS = new Set(['record_import_faults.faults']);

function example(document: DocumentInHand, given: unknown, depth = 0): unknown {
  const form = resolve(document, given);
  const [first] = (form['oneOf'] ?? form['anyOf'] ?? form['allOf'] ?? []) as unknown[];
  if (first !== undefined) return example(document, first, depth);
  if (form['const'] !== undefined) return form['const'];
  if (Array.isArray(form['enum'])) return form['enum'][0];
  const type = [form['type']].flat()[0];
  if (type === 'array') return depth > DEEPEST ? [] : [example(document, form['items'], depth + 1)];
  if (type === 'integer' || type === 'number') return form['minimum'] ?? 1;
  if (type === 'boolean') return false;
  if (type === 'object' || form['properties'] !== undefined) {
    const properties = Object.entries((form['properties'] ?? {}) as Json);
    const entries = depth > DEEPEST ? [] : properties.map(([name, one]) => [name, example(document, one, depth + 1)]);
    return Object.fromEntries(entries as [string, unknown][]);
  }
  if (form['format'] === 'email') return 'someone@example.com';
  return form['format'] === 'uuid' ? '01890a5d-ac96-774b-bcce-b302099a8057' : 'text';
}

function resolve(document: DocumentInHand, given: unknown): Json {
  const form = (given ?? {}) as Json;
  return typeof form['$ref'] === 'string' ? resolve(document, document.at(form['$ref'])) : form;
}

/** Returns copies of a value. Each has another text in one place. */
function mutations(value: unknown, text: string): unknown[] {
  if (typeof value === 'string') return [text];
  if (Array.isArray(value))
    return value.flatMap((entry, at) => mutations(entry, text).map((one) => value.with(at, one)));
  if (typeof value !== 'object' || value === null) return [];
  return [
    { ...value, [text]: 'x' },
    ...Object.entries(value).flatMap(([name, entry]) =>
      mutations(entry, text).map((one) => ({ ...value, [name]: one })),
    ),
  ];
}

interface Attack {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Returns requests with unstorable text in one place each: path, query or body. */
function attacks(document: DocumentInHand, operation: DocumentedOperation): readonly Attack[] {
  const { method, path } = operation;
  const parameters = (operation.parameters ?? []).map((one) => resolve(document, one));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name.endsWith('id') ? '01890a5d-ac96-774b-bcce-b302099a8057' : 'text',
  );
  const inPath = [...path.matchAll(/\{\w+\}/g)].map(([place]) => ({
    method,
    path: path.replace(place, 'a%00b').replaceAll(/\{\w+\}/g, 'text'),
  }));
  const inQuery = parameters
    .filter((one) => one['in'] === 'query')
    .flatMap(({ name }) =>
      ['a\0b', ...IN_JSON].map((text) => ({ method, path: `${filled}?${String(name)}=${encodeURIComponent(text)}` })),
    );
  const content = resolve(document, operation.requestBody)['content'] as
    | Record<string, { schema: unknown }>
    | undefined;
  const body = content?.['application/json'] && example(document, content['application/json'].schema);
  const inBody = [NUL, HALF].flatMap((text) =>
    mutations(body, text).map((one) => ({ method, path: filled, body: one })),
  );
  return [...inPath, ...inQuery, ...inBody];
}

describe('text that PostgreSQL cannot store', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeAll(async () => {
    admin = await asAdmin(world.app);
    const fields = ['text', 'json', 'int', 'uuid', 'time', 'float64', 'bool'].map((type) =>
      field(type, `of_${type}`, { optional: true }),
    );
    const choice = field('enum', 'choice', { optional: true, enums: [{ value: 'a' }] });
    await admin.post('/api/schema', schema('thing', [...fields, choice])).expect(201);
  });

  const send = ({ method, path, body }: Attack) => {
    const client = admin as unknown as Record<string, (path: string, body?: unknown) => ReturnType<TestClient['post']>>;
    return client[method]!(path, body);
  };

  /** Returns the columns in which a lone surrogate was stored as a replacement character. */
  const replaced = async (): Promise<string[]> => {
    const columns = await world.app.sql<{ table: string; column: string }>(
      `SELECT c.relname AS table, a.attname AS column FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
         AND a.atttypid IN ('text'::regtype, 'varchar'::regtype, 'json'::regtype, 'jsonb'::regtype)`,
    );
    const found: string[] = [];
    for (const { table, column } of columns) {
      const rows = await world.app.sql(
        `SELECT FROM "${table}" WHERE "${column}"::text LIKE '%' || chr(65533) || '%' LIMIT 1`,
      );
      if (rows.length > 0 && !REPORTS.has(`${table}.${column}`)) found.push(`${table}.${column}`);
    }
    return found;
  };

  it('is a client error on every documented route, and is not stored as something else', async () => {
    const document = await DocumentInHand.of(admin);
    const isOther = /^\/api\/content\/(?!things|users)/;
    const operations = document
      .operations()
      .filter(({ method, path }) => METHODS.includes(method) && !isOther.test(path));
    const all = operations.flatMap((operation) => attacks(document, operation));
    const failed: string[] = [];
    const statuses = new Map<number, number>();
    for (const attack of all) {
      const { status, body } = await send(attack);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500)
        failed.push(`${status} ${attack.method} ${attack.path} ${JSON.stringify(attack.body)} ${JSON.stringify(body)}`);
      if (status === 401) admin = await asAdmin(world.app);
    }
    expect(failed).toEqual([]);
    expect(await replaced()).toEqual([]);
    expect(all.length).toBeGreaterThan(500);
  });

  const everyMember = () => ({
    name: 'note',
    namespace: 'notes',
    label_field: 'title',
    fields: [
      {
        type: 'string',
        name: 'title',
        label: 'Title',
        default: 'x',
        renderer: 'line',
        setter: 'value',
        db: { column: 'title_' },
      },
      {
        type: 'enum',
        name: 'state',
        enums: [
          { value: 'a', label: 'A' },
          { value: 'b', label: 'B' },
        ],
        optional: true,
      },
      { type: 'json', name: 'more', default: { a: ['x'] } },
      { type: 'string', name: 'shown', optional: true, getter: 'record.title' },
      { type: 'file', name: 'photo', optional: true, file: { types: ['image/png'] } },
      {
        type: 'relation',
        name: 'owner',
        optional: true,
        relation: { schema: 'user', field: 'notes', type: 'm2o', on_delete: 'set_null', source_column: 'owner_id' },
      },
    ],
    db: { indexes: [{ name: 'by_state', columns: ['state'] }] },
    renames: { schema: 'memo', fields: { heading: 'title' } },
  });

  it('is reported with its path in a definition, by validation, plan and change', async () => {
    const changes = [NUL, HALF].flatMap((text) => mutations(everyMember(), text));
    expect(changes.length).toBeGreaterThan(60);
    for (const definition of changes) {
      const answers: { status: number; errors: unknown }[] = [];
      for (const path of ['/api/schema/validate', '/api/schema/plan', '/api/schema']) {
        const { status, body } = await admin.post(path, definition);
        answers.push({ status, errors: body.data.field_errors });
      }
      expect(answers).toEqual(answers.map(() => answers[1]));
      expect(answers[0]).toMatchObject({ status: 422 });
      const actual = expect.stringContaining('text with NUL or half a surrogate pair');
      expect(answers[0]!.errors).toContainEqual(expect.objectContaining({ message: actual, path: expect.any(String) }));
    }
  });

  it('is reported at an enum value', async () => {
    const enums = [{ value: 'a' }, { value: NUL }];
    const { body } = await admin
      .post('/api/schema/validate', schema('note', [field('enum', 'state', { enums })]))
      .expect(422);
    expect(body.data.field_errors).toMatchObject([{ field: 'state', path: '/fields/1/enums/1/value' }]);
  });

  it.each(['\\u0000', '\\ud800'])('is rejected in the names of columns of an import: %s', async (text) => {
    for (const columns of [`{"${text}":"title"}`, `{"title":"${text}"}`]) {
      const query = `format=csv&columns=${encodeURIComponent(columns)}`;
      for (const path of [`/api/imports?schema=thing&${query}`, `/api/content/things/import?${query}`]) {
        const { body } = await admin.post(path).type('text/csv').send('title\nx\n').expect(400);
        expect(body.data.errors).toMatchObject([{ field: 'columns', code: 'malformed' }]);
      }
    }
  });

  it('is rejected in the header of a CSV file', async () => {
    const csv = Buffer.from('title,a\0b\nx,y\n');
    const { body } = await admin.post('/api/content/things/import?format=csv').type('text/csv').send(csv).expect(400);
    expect(JSON.stringify(body)).toContain('cannot be stored');
    await admin
      .post('/api/imports?schema=thing&format=csv')
      .type('text/csv')
      .send(csv)
      .expect((response) => {
        expect(response.status).toBeLessThan(500);
      });
  });

  it.each(['filename', 'filetype', 'schema', 'record', 'field'])(
    'is rejected in the upload metadata: %s',
    async (key) => {
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      const others = ['schema', 'record', 'field']
        .filter((name) => name !== key)
        .map((name) => `${name} ${base64('thing')}`);
      const metadata = [`${key} ${base64('a\0b')}`, ...others].join(',');
      const headers = { 'Tus-Resumable': '1.0.0', 'Upload-Length': '3', 'Upload-Metadata': metadata };
      const { body } = await admin.post('/api/files/uploads').set(headers).expect(422);
      expect(body.data.errors).toMatchObject([{ field: key, code: 'characters_invalid' }]);
    },
  );
});
