import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaFileStore, SchemaFileWriter } from '../../../src/data/schema/files/schema-file-writer.js';
import { SchemaFilesService } from '../../../src/data/schema/schema-files.service.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { field, schema } from '../../support/schema-definitions.js';
import { asAdmin, columnsOf } from '../../support/schema-fixture.js';
import { TestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/schema';
const BLOG = join(__dirname, '../../../examples/blog/schemas/blog.json');

describe('schema files', () => {
  let app: TestApp;
  let admin: TestClient;
  beforeEach(async () => {
    app = await TestApp.start();
    admin = await asAdmin(app);
    mkdirSync(directory());
  });
  afterEach(() => app.stop());

  const directory = (): string => join(app.config.dataDir, 'schemas');
  const write = (name: string, content: unknown): void =>
    writeFileSync(join(directory(), name), typeof content === 'string' ? content : JSON.stringify(content));
  const read = (name: string): unknown => JSON.parse(readFileSync(join(directory(), name), 'utf8'));
  const start = (): Promise<void> => app.get(SchemaFilesService).applyAtStart();

  it('are applied at the start, once', async () => {
    write('blog.json', readFileSync(BLOG, 'utf8'));
    await start();
    expect(Object.keys(await columnsOf(app, 'posts'))).toEqual(
      expect.arrayContaining(['title', 'slug', 'status', 'author_id', 'category_id', 'cover_id']),
    );
    expect(app.get(SchemaSnapshots).current.version).toBe(1);
    await start();
    expect(app.get(SchemaSnapshots).current.version).toBe(1);
  });

  it('equal one request with the same document', async () => {
    await admin.post(PATH, JSON.parse(readFileSync(BLOG, 'utf8'))).expect(201);
    const { hash } = app.get(SchemaSnapshots).current;
    const other = await TestApp.start();
    try {
      mkdirSync(join(other.config.dataDir, 'schemas'));
      writeFileSync(join(other.config.dataDir, 'schemas', 'blog.json'), readFileSync(BLOG, 'utf8'));
      await other.get(SchemaFilesService).applyAtStart();
      expect(other.get(SchemaSnapshots).current.hash).toBe(hash);
    } finally {
      await other.stop();
    }
  });

  it('are applied all or none, and every error is reported with its file', async () => {
    write('a.json', schema('good'));
    write('b.json', { ...schema('bad', [field('strin', 'x')]), label_field: 'titel' });
    await expect(start()).rejects.toThrow(
      expect.objectContaining({
        name: 'SchemaFilesError',
        faults: [
          expect.stringMatching(/^b\.json \/label_field: .*\(schema\.label_field\.not_found\)$/),
          expect.stringMatching(/^b\.json \/fields\/1\/type: .*Did you mean "string"\? \(field\.type\.invalid\)$/),
        ],
      }),
    );
    expect(await columnsOf(app, 'goods')).toEqual({});
    expect(app.get(SchemaSnapshots).current.version).toBe(0);
  });

  it('that are not JSON or unreadable are reported', async () => {
    write('broken.json', '{"name": ');
    await expect(start()).rejects.toThrow(/broken\.json: not well-formed JSON/);
    rmSync(directory(), { recursive: true });
    writeFileSync(directory(), 'not a directory');
    await expect(start()).rejects.toThrow(/schema\.io\.read_error/);
  });

  it('that would lose data are rejected with a list of the losses', async () => {
    write('note.json', schema('note', [field('text', 'body', { optional: true })]));
    await start();
    await app.sql(`INSERT INTO notes (id, title, body) VALUES (gen_random_uuid(), 'a', 'b')`);
    write('note.json', schema('note'));
    await expect(start()).rejects.toThrow(/would lose data[^]*"body" of "notes"[^]*--allow-data-loss/);
    expect(await columnsOf(app, 'notes')).toHaveProperty('body');
  });

  it('follow changes over the API, in any file layout', async () => {
    write('two.json', { schemas: [schema('one'), schema('two')] });
    await start();
    await admin.put(`${PATH}/two`, schema('two', [field('int', 'n', { optional: true })])).expect(200);
    await admin.post(PATH, schema('three')).expect(201);
    expect(readdirSync(directory()).sort()).toEqual(['three.json', 'two.json']);
    expect(read('two.json')).toMatchObject({
      schemas: [{ name: 'one' }, { name: 'two', fields: [{ name: 'title' }, { name: 'n', type: 'int' }] }],
    });
    await admin.delete(`${PATH}/three?allow_data_loss=true`).expect(200);
    await admin.delete(`${PATH}/one?allow_data_loss=true`).expect(200);
    expect(readdirSync(directory())).toEqual(['two.json']);
    const { version } = app.get(SchemaSnapshots).current;
    await start();
    expect(app.get(SchemaSnapshots).current.version).toBe(version);
  });

  it('are not written in production, and have no effect at the next start', async () => {
    write('note.json', schema('note'));
    await start();
    const production = await app.secondInstance({
      env: { NODE_ENV: 'production', MAIL_URL: 'smtp://localhost:1', DATA_DIR: app.config.dataDir },
    });
    try {
      const client = await asAdmin(production);
      await client.put(`${PATH}/note`, schema('note', [field('int', 'n', { optional: true })])).expect(200);
      expect(read('note.json')).toEqual(schema('note'));
      await production.get(SchemaFilesService).applyAtStart();
      expect(await columnsOf(app, 'notes')).toHaveProperty('n');
    } finally {
      await production.stop();
    }
  });

  it('leave no partial file', async () => {
    write('note.json', schema('note'));
    await start();
    expect(readdirSync(directory())).toEqual(['note.json']);
    await admin.put(`${PATH}/note`, schema('note', [field('int', 'n', { optional: true })])).expect(200);
    expect(readdirSync(directory())).toEqual(['note.json']);
  });

  describe('after a crash between a change and its files', () => {
    const labelled = (label: string) => ({ ...schema('note'), fields: [{ type: 'string', name: 'title', label }] });
    const labelOf = async (): Promise<unknown> =>
      (await admin.get(`${PATH}/note`).expect(200)).body.data.fields[0].label;
    const pending = () => app.sql('SELECT name FROM schema_file_writes ORDER BY name');

    /** Simulates a process that dies after files were staged and queued. */
    async function crashing(change: () => Promise<unknown>): Promise<void> {
      const { stage } = SchemaFileWriter.prototype;
      const spy = jest.spyOn(SchemaFileWriter.prototype, 'stage').mockImplementation(async function (
        this: SchemaFileWriter,
        origin,
        changed,
      ) {
        return { ...(await stage.call(this, origin, changed)), publish: () => Promise.resolve([]) };
      });
      await change();
      spy.mockRestore();
    }

    beforeEach(async () => {
      await admin.post(PATH, labelled('first')).expect(201);
      await admin.put(`${PATH}/note`, labelled('second')).expect(200);
    });

    it('writes pending files and reverts nothing', async () => {
      await crashing(() => admin.put(`${PATH}/note`, labelled('third')).expect(200));
      expect(read('note.json')).toMatchObject({ fields: [{ label: 'second' }] });
      expect(await pending()).toEqual([{ name: 'note.json' }]);
      const { version } = app.get(SchemaSnapshots).current;
      await start();
      expect(await labelOf()).toBe('third');
      expect(app.get(SchemaSnapshots).current.version).toBe(version);
      expect(read('note.json')).toMatchObject({ fields: [{ label: 'third' }] });
      expect(await pending()).toEqual([]);
      expect(readdirSync(directory())).toEqual(['note.json']);
    });

    it('creates the file of a new schema and deletes that of a dropped one', async () => {
      await crashing(() => admin.post(PATH, schema('fresh')).expect(201));
      await crashing(() => admin.delete(`${PATH}/note?allow_data_loss=true`).expect(200));
      expect(readdirSync(directory()).filter((name) => !name.startsWith('.'))).toEqual(['note.json']);
      await start();
      expect(readdirSync(directory())).toEqual(['fresh.json']);
      await admin.get(`${PATH}/note`).expect(404);
      await start();
      await admin.get(`${PATH}/note`).expect(404);
    });

    it('applies a file that was changed by hand meanwhile', async () => {
      await crashing(() => admin.put(`${PATH}/note`, labelled('third')).expect(200));
      write('note.json', labelled('by hand'));
      await start();
      expect(await labelOf()).toBe('by hand');
      expect(await pending()).toEqual([]);
      expect(readdirSync(directory())).toEqual(['note.json']);
    });

    it('detects a file that was written without confirmation', async () => {
      const spy = jest.spyOn(SchemaFileStore.prototype, 'settle').mockRejectedValue(new Error('gone'));
      await admin.put(`${PATH}/note`, labelled('third')).expect(200);
      spy.mockRestore();
      expect(await pending()).toHaveLength(1);
      await start();
      expect(await labelOf()).toBe('third');
      expect(await pending()).toEqual([]);
    });
  });

  it('of another directory are applied without marking the own files as new', async () => {
    write('note.json', schema('note'));
    await start();
    const other = join(app.config.dataDir, 'other');
    mkdirSync(other);
    const wider = schema('note', [field('int', 'n', { optional: true })]);
    writeFileSync(join(other, 'note.json'), JSON.stringify(wider));
    const { snapshot } = await app.get(SchemaFilesService).apply(other, {});
    expect(snapshot.schemas['note']?.fields).toHaveProperty('n');
    await start();
    expect(app.get(SchemaSnapshots).current.version).toBe(snapshot.version);
    expect(await columnsOf(app, 'notes')).toHaveProperty('n');
  });

  it('that are reset to their state before a change are applied again', async () => {
    write('note.json', schema('note'));
    await start();
    const text = readFileSync(join(directory(), 'note.json'), 'utf8');
    await admin.put(`${PATH}/note`, { ...schema('note'), fields: [{ type: 'text', name: 'title' }] }).expect(200);
    write('note.json', text);
    await start();
    expect((await admin.get(`${PATH}/note`).expect(200)).body.data.fields[0].type).toBe('string');
    await admin.delete(`${PATH}/note?allow_data_loss=true`).expect(200);
    write('note.json', text);
    await start();
    await admin.get(`${PATH}/note`).expect(200);
  });
});
