import { gzipSync } from 'node:zlib';
import type { ExportEntry } from '../../../src/features/transfer/export-stream.js';
import { isDatabaseUnavailable } from '../../../src/platform/database/database-faults.js';
import { signedIn, signIn } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import type { TestApp, TestAppOptions } from '../../support/test-app.js';
import {
  imported,
  OPTIONS,
  rewritten,
  rowsOf,
  RUNNING,
  Safe,
  startTransferFixture,
  STAYING,
  type TransferFixture,
} from '../../support/transfer-fixture.js';

jest.setTimeout(120_000);

describe('an export', () => {
  let ann: TransferFixture['ann'];
  let safe: TransferFixture['safe'];
  let bytes: TransferFixture['bytes'];
  let everything: TransferFixture['everything'];
  let world: TransferFixture;
  const target = (options?: TestAppOptions): Promise<TestApp> => world.target(options);
  beforeAll(async () => {
    world = await startTransferFixture();
    ({ ann, safe, bytes, everything } = world);
  });
  afterAll(() => world?.stop());

  describe('that cannot be imported leaves the database unchanged:', () => {
    let app: TestApp;
    let before: Record<string, string[]>;
    beforeAll(async () => {
      app = await target();
      before = await rowsOf(app, RUNNING);
    });
    afterEach(async () => expect(await rowsOf(app, RUNNING)).toEqual(before));

    const cut = (share: number) => () => bytes.subarray(0, Math.floor(bytes.length * share));
    const flipped = (share: number) => () => {
      const copy = Buffer.from(bytes);
      const at = Math.floor(copy.length * share);
      copy[at] = copy[at] === 0x37 ? 0x38 : 0x37;
      return copy;
    };
    const withHeader = (change: object) => () =>
      rewritten(bytes, (entry) =>
        entry.kind === 'header' ? [{ kind: 'header', header: { ...entry.header, ...change } }] : [entry],
      );
    it.each<[string, () => Buffer | Promise<Buffer>, RegExp]>([
      ['nothing at all', () => Buffer.alloc(0), /^The export is incomplete|^This is not an export/],
      [
        'something else',
        () => Buffer.from('{"name": "note"}\n'),
        /^This is not an export: the first line is not a header\.$/,
      ],
      ['a text', () => Buffer.from('hello\nworld\n'), /^This is not an export/],
      ['one without its end', cut(0.999), /^The export is incomplete|^Line \d+ of the export is not well-formed/],
      ['the first half', cut(0.5), /^The export is incomplete|^Line \d+ of the export is not well-formed/],
      [
        'a changed byte near the end',
        flipped(0.9),
        /^The export was modified|^Line \d+ |^The (data|schemas) of the export/,
      ],
      [
        'a changed byte in the middle',
        flipped(0.5),
        /^The export was modified|^Line \d+ |^The (data|schemas) of the export/,
      ],
      ['half of a compressed one', () => gzipSync(bytes).subarray(0, 5_000), /^The export cannot be decompressed/],
      ['something behind its end', () => Buffer.concat([bytes, bytes]), /^Line \d+ is after the end/],
      [
        'another format',
        () => Buffer.from(bytes.toString().replace('"lintel_export":1', '"lintel_export":2')),
        /^The export has the format 2 of Lintel [\w.-]+, and this version reads 1\. Import it with that version or a later one\.$/,
      ],
      [
        'a newer version',
        withHeader({ migrations: ['Users1700000000110', 'Wings1799999999999'], lintel: '9.0.0' }),
        /^The export was created by the newer Lintel 9\.0\.0, and this version does not have Wings1799999999999\./,
      ],
      [
        'another application',
        withHeader({ own_migrations: ['Soups1795300000000'] }),
        /^The export belongs to an application with the migration Soups1795300000000/,
      ],
    ])('%s', async (_name, make, sentence) => {
      const odd = await make();
      for (const isRepeatable of [true, false])
        await expect(imported(app, odd, { isRepeatable })).rejects.toThrow(sentence);
    });

    it.each<[string, (entry: ExportEntry) => ExportEntry[], RegExp]>([
      [
        'rows of a table of the database itself',
        (entry) => [
          entry,
          ...(entry.kind === 'schemas'
            ? [{ kind: 'table', name: 'lintel_migrations', columns: ['name'] } as const]
            : []),
        ],
        /^The export has rows of lintel_migrations, and this application has no such table/,
      ],
      [
        'a column that is not there',
        (entry) => [
          entry.kind === 'table' && entry.name === 'roles'
            ? { ...entry, columns: entry.columns.map((one) => (one === 'name' ? 'nom' : one)) }
            : entry,
        ],
        /^The export has a column nom of roles/,
      ],
      [
        'a value of another type',
        (entry) => [
          entry.kind === 'row'
            ? { ...entry, text: entry.text.replace(/"[0-9a-f]{8}-[0-9a-f-]{27}"/, '"no uuid"') }
            : entry,
        ],
        /^The data of the export is inconsistent \(22P02\)/,
      ],
      [
        'a reference to nothing',
        (entry) => (entry.kind === 'row' && entry.text.includes(ann.email) ? [] : [entry]),
        /^The data of the export is inconsistent \(23503\)/,
      ],
      [
        'a row twice',
        (entry) => (entry.kind === 'row' ? [entry, entry] : [entry]),
        /^The data of the export is inconsistent \(23505\)/,
      ],
      [
        'schemas that were changed, though its checksum fits',
        (entry) => [
          entry.kind === 'row'
            ? { ...entry, text: entry.text.replace(/^(\["\d+",")[0-9a-f]{64}"/, `$1${'0'.repeat(64)}"`) }
            : entry,
        ],
        /^The schemas of the export cannot be read: they have another version or were modified\.$/,
      ],
      [
        'no schemas',
        (entry) => (entry.kind === 'schemas' ? [] : [entry]),
        /^The export has rows of |^The schemas are missing/,
      ],
    ])('%s', async (_name, change, sentence) => {
      await expect(imported(app, await rewritten(bytes, change))).rejects.toThrow(sentence);
    });

    it('a connection that breaks during the transfer', async () => {
      const broken = async function* (): AsyncGenerator<Buffer> {
        yield bytes.subarray(0, Math.floor(bytes.length * 0.8));
        const ended = (): Promise<unknown[]> =>
          app.sql(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted
            AND relation = 'users'::regclass`);
        while ((await ended()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        yield bytes.subarray(Math.floor(bytes.length * 0.8));
      };
      // Between two statements, TypeORM notices the fault first and reports its own message.
      const error: unknown = await imported(app, broken()).catch((thrown: unknown) => thrown);
      expect(isDatabaseUnavailable(error)).toBe(true);
    });

    it('secrets that no key decrypts, without the option', async () => {
      const other = await target({ ...OPTIONS, env: { APP_KEY: 'another key for tests, long enough to be one' } });
      const then = await rowsOf(other, RUNNING);
      await expect(imported(other, bytes)).rejects.toThrow(/^Secrets in the export are encrypted with another APP_KEY/);
      expect(await rowsOf(other, RUNNING)).toEqual(then);
      await imported(other, bytes, { otherKey: true });
      expect(await other.get(Safe).get(safe)).toBeNull();
      await signIn(other, ann);
    });
  });

  describe('and a database that is not empty', () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await target();
      const { token } = await signedIn(app, { roles: ['admin'] });
      const boss = app.as(token);
      await boss.post('/api/schema', {
        schemas: [schema('old', [field('int', 'number', { db: { increment: true } })])],
      });
      await boss.post('/api/content/olds', { title: 'old' }).expect(201);
      await app.get(Safe).put({ word: 'old' });
    });

    it('is rejected with its name, unless its data may be deleted', async () => {
      const before = await rowsOf(app, RUNNING);
      await expect(imported(app, bytes)).rejects.toThrow(
        /^The database is not empty: acme_safe has rows\. Import into another database, or replace the existing data with --replace\.$/,
      );
      expect(await rowsOf(app, RUNNING)).toEqual(before);
    });

    it('is unchanged if the deletion fails, with its sequences', async () => {
      const before = await rowsOf(app, RUNNING);
      const doubled = await rewritten(bytes, (entry) =>
        entry.kind === 'sequence' ? [entry, { ...entry, column: 'nothing' }] : [entry],
      );
      await expect(imported(app, doubled, { replace: true })).rejects.toThrow(/^nothing of acme_safe has a sequence/);
      expect(await rowsOf(app, RUNNING)).toEqual(before);
      await app.get(Safe).put({ word: 'next' });
      expect(await app.sql('SELECT number FROM acme_safe ORDER BY number')).toEqual([{ number: 1 }, { number: 2 }]);
    });

    it('contains only the export if the data was deleted', async () => {
      await imported(app, bytes, { replace: true });
      expect(await rowsOf(app, STAYING)).toEqual(everything);
      expect(await app.sql(`SELECT to_regclass('olds') AS olds`)).toEqual([{ olds: null }]);
      expect(await app.sql('SELECT 1 FROM sessions')).toEqual([]);
    });
  });
});
