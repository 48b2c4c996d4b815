import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaFileWriter } from '../../../src/data/schema/files/schema-file-writer.js';
import { SchemaFilesService } from '../../../src/data/schema/schema-files.service.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { schema } from '../../support/schema-definitions.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { TestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/schema';

describe('schema files of instances with one database', () => {
  let app: TestApp;
  let admin: TestClient;
  let other: TestApp;
  beforeEach(async () => {
    app = await TestApp.start();
    admin = await asAdmin(app);
    mkdirSync(directory());
    other = await app.secondInstance();
    mkdirSync(join(other.config.dataDir, 'schemas'));
  });
  afterEach(async () => {
    await other.stop();
    await app.stop();
  });

  const directory = (): string => join(app.config.dataDir, 'schemas');
  const write = (name: string, content: unknown): void =>
    writeFileSync(join(directory(), name), JSON.stringify(content));
  const read = (name: string): unknown => JSON.parse(readFileSync(join(directory(), name), 'utf8'));
  const start = (): Promise<void> => app.get(SchemaFilesService).applyAtStart();

  const labelled = (label: string) => ({ ...schema('note'), fields: [{ type: 'string', name: 'title', label }] });
  const ofOther = (name: string): string => join(other.config.dataDir, 'schemas', name);
  const startOther = (): Promise<void> => other.get(SchemaFilesService).applyAtStart();
  const complaints = (): string[] => [...app.log, ...other.log].filter((line) => /"level":(50|60)/.test(line));

  it('recover only their own directory after a crash', async () => {
    await admin.post(PATH, labelled('first')).expect(201);
    const { stage } = SchemaFileWriter.prototype;
    const spy = jest.spyOn(SchemaFileWriter.prototype, 'stage').mockImplementation(async function (
      this: SchemaFileWriter,
      ...given
    ) {
      return { ...(await stage.apply(this, given)), publish: () => Promise.resolve([]) };
    });
    await admin.put(`${PATH}/note`, labelled('second')).expect(200);
    await (await asAdmin(other)).post(PATH, schema('fresh')).expect(201);
    await admin.post(PATH, schema('fresher')).expect(201);
    spy.mockRestore();

    await startOther();
    expect(readdirSync(join(other.config.dataDir, 'schemas'))).toEqual(['fresh.json']);
    expect(await app.sql('SELECT name FROM schema_file_writes ORDER BY name')).toEqual([
      { name: 'fresher.json' },
      { name: 'note.json' },
    ]);
    await start();
    expect(read('note.json')).toMatchObject({ fields: [{ label: 'second' }] });
    expect(readdirSync(directory())).toEqual(['fresher.json', 'note.json']);
    expect(await app.sql('SELECT 1 FROM schema_file_writes')).toEqual([]);
    expect(complaints()).toEqual([]);
  });

  it('undo nothing because of outdated files', async () => {
    write('note.json', labelled('first'));
    await start();
    writeFileSync(ofOther('note.json'), JSON.stringify(labelled('first')));
    await startOther();
    await admin.put(`${PATH}/note`, labelled('second')).expect(200);
    const { version } = app.get(SchemaSnapshots).current;
    await startOther();
    await start();
    expect(app.get(SchemaSnapshots).current.version).toBe(version);
    expect(read('note.json')).toMatchObject({ fields: [{ label: 'second' }] });

    writeFileSync(ofOther('note.json'), JSON.stringify(labelled('third')));
    await startOther();
    await start();
    expect((await admin.get(`${PATH}/note`).expect(200)).body.data.fields[0].label).toBe('third');
  });

  it('are recognised by a directory that two processes may share', async () => {
    const third = await app.secondInstance({ env: { DATA_DIR: app.config.dataDir } });
    try {
      await (await asAdmin(third)).post(PATH, schema('note')).expect(201);
      const { version } = third.get(SchemaSnapshots).current;
      await start();
      expect(app.get(SchemaSnapshots).current.version).toBe(version);
      const rows = await app.sql<{ directory: string }>('SELECT DISTINCT directory FROM schema_files');
      expect(rows.map(({ directory: id }) => id)).toEqual([
        readFileSync(join(app.config.dataDir, 'directory.id'), 'utf8').trim(),
      ]);
    } finally {
      await third.stop();
    }
  });
});
