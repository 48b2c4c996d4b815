import { field, schema } from '../../support/schema-definitions.js';
import { asAdmin, columnsOf } from '../../support/schema-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/schema';

interface Linked {
  readonly id: string;
  readonly title: string;
}

describe('a change of the relation kind', () => {
  const world = useTestApp();
  let admin: TestClient;
  let at = 0;
  beforeAll(async () => {
    admin = await asAdmin(world.app);
  });
  beforeEach(() => {
    at += 1;
  });

  /** Books and readers of this test, with one relation between them. @param owner The side without the foreign key. */
  const library = (type: string, owner: 'book' | 'reader', more: object = { optional: true }) => {
    const side = (name: string, target: string, back: string, isOwner: boolean) => ({
      type: 'relation',
      name,
      ...(isOwner ? { optional: true } : more),
      relation: { schema: `${target}${at}`, field: back, type, ...(isOwner ? { owner: true } : {}) },
    });
    return {
      schemas: [
        schema(`book${at}`, [side('reader', 'reader', 'books', owner === 'book')]),
        schema(`reader${at}`, [side('books', 'book', 'reader', owner === 'reader'), field('int', 'n', { default: 1 })]),
      ],
    };
  };
  const apply = (document: object, query = '') => admin.post(`${PATH}${query}`, document);
  const create = async (kind: string, data: object): Promise<string> =>
    (await admin.post(`/api/content/${kind}${at}s`, data).expect(201)).body.data.id;
  const readers = async (): Promise<Record<string, string[]>> => {
    const { body } = await admin.get(`/api/content/book${at}s?select=title,reader.title&limit=100`).expect(200);
    const items = body.data.items as readonly { title: string; reader: Linked | readonly Linked[] | null }[];
    return Object.fromEntries(
      items.map(({ title, reader }) => [
        title,
        [reader ?? []]
          .flat()
          .map((linked) => linked.title)
          .sort(),
      ]),
    );
  };
  const filled = async (): Promise<Record<string, string[]>> => {
    const [ada, bob] = [await create('reader', { title: 'Ada' }), await create('reader', { title: 'Bob' })];
    await create('book', { title: 'one', reader: { id: ada } });
    await create('book', { title: 'two', reader: { id: ada } });
    await create('book', { title: 'three', reader: { id: bob } });
    await create('book', { title: 'none' });
    return { one: ['Ada'], two: ['Ada'], three: ['Bob'], none: [] };
  };

  it.each(['book', 'reader'] as const)('from o2m to m2m keeps every link, and back again (owner %s)', async (owner) => {
    await apply(library('o2m', 'reader')).expect(201);
    const links = await filled();
    const { data } = (await admin.post(`${PATH}/plan`, library('m2m', owner)).expect(200)).body;
    expect(data).toMatchObject({ loses_data: false, blocked: false });
    const copy = data.steps.find(({ kind }: { kind: string }) => kind === 'copy_links');
    expect(copy).toMatchObject({ words: expect.stringMatching(/^Copies the links of/), loses_data: false });
    expect(copy.sql[0]).toContain('INSERT INTO');
    await apply(library('m2m', owner)).expect(200);
    expect(await columnsOf(world.app, `book${at}s`)).not.toHaveProperty('reader_id');
    expect(await readers()).toEqual(links);
    await apply(library('o2m', 'reader')).expect(200);
    expect(await columnsOf(world.app, `book${at}s`)).toHaveProperty('reader_id');
    expect(await readers()).toEqual(links);
  });

  it('from m2m is refused if a record has two links, and keeps one of them on request', async () => {
    await apply(library('m2m', 'reader')).expect(201);
    const [ada, bob] = [await create('reader', { title: 'Ada' }), await create('reader', { title: 'Bob' })];
    await create('book', { title: 'one', reader: [{ id: ada }, { id: bob }] });
    await create('book', { title: 'two', reader: [{ id: bob }] });
    const { body } = await apply(library('o2m', 'reader')).expect(409);
    expect(body.data).toMatchObject({ error: 'migration_destructive', steps: [{ kind: 'copy_links', rows: 1 }] });
    expect(await readers()).toEqual({ one: ['Ada', 'Bob'], two: ['Bob'] });
    await apply(library('o2m', 'reader'), '?allow_data_loss=true').expect(200);
    const kept = await readers();
    expect(kept['two']).toEqual(['Bob']);
    expect(kept['one']).toHaveLength(1);
    expect((await admin.post(`${PATH}/undo`).expect(409)).body.data.error).toBe('undo_impossible');
  });

  it('to a required one reports records without a link', async () => {
    await apply(library('m2m', 'reader')).expect(201);
    const ada = await create('reader', { title: 'Ada' });
    await create('book', { title: 'one', reader: [{ id: ada }] });
    const lonely = await create('book', { title: 'lonely' });
    const { body } = await apply(library('o2m', 'reader', {})).expect(409);
    expect(body.data).toMatchObject({ error: 'migration_blocked' });
    expect(body.data.steps[0].problems[0]).toMatchObject({ kind: 'not_null', count: 1, examples: [lonely] });
    await world.app.sql(`DELETE FROM book${at}s WHERE id = $1`, [lonely]);
    await apply(library('o2m', 'reader', {})).expect(200);
    expect(await columnsOf(world.app, `book${at}s`)).toMatchObject({ reader_id: 'uuid required' });
    expect(await readers()).toEqual({ one: ['Ada'] });
  });

  it('moves the foreign key to the other side if no record has two', async () => {
    await apply(library('o2m', 'reader')).expect(201);
    const ada = await create('reader', { title: 'Ada' });
    await create('book', { title: 'one', reader: { id: ada } });
    await apply(library('o2m', 'book')).expect(200);
    expect(await columnsOf(world.app, `reader${at}s`)).toHaveProperty('books_id');
    expect(await readers()).toEqual({ one: ['Ada'] });
    await create('reader', {
      title: 'Bob',
      books: { id: (await admin.get(`/api/content/book${at}s`)).body.data.items[0].id },
    });
    expect(await readers()).toEqual({ one: ['Ada', 'Bob'] });
    expect((await apply(library('o2m', 'reader')).expect(409)).body.data.error).toBe('migration_destructive');
  });

  it('becomes an o2o if both sides have one at most', async () => {
    await apply(library('m2m', 'reader')).expect(201);
    const ada = await create('reader', { title: 'Ada' });
    await create('book', { title: 'one', reader: [{ id: ada }] });
    const second = await create('book', { title: 'two', reader: [{ id: ada }] });
    expect((await apply(library('o2o', 'reader')).expect(409)).body.data.error).toBe('migration_destructive');
    await world.app.sql(`DELETE FROM book${at}s WHERE id = $1`, [second]);
    await apply(library('o2o', 'reader')).expect(200);
    expect(await readers()).toEqual({ one: ['Ada'] });
  });

  it('is undone with the current links', async () => {
    await apply(library('o2m', 'reader')).expect(201);
    const links = await filled();
    await apply(library('m2m', 'reader')).expect(200);
    const bob = (await admin.get(`/api/content/reader${at}s?filter={"title":"Bob"}`).expect(200)).body.data.items[0].id;
    await create('book', { title: 'four', reader: [{ id: bob }] });
    await admin.post(`${PATH}/undo`).expect(200);
    expect(await readers()).toEqual({ ...links, four: ['Bob'] });
  });

  it('can be combined with renames of tables and fields', async () => {
    await apply(library('o2m', 'reader')).expect(201);
    const links = await filled();
    const [book, reader] = library('m2m', 'reader').schemas;
    await apply({
      schemas: [
        { ...book, namespace: `volume${at}s`, renames: { fields: {} } },
        { ...reader, namespace: `people${at}s` },
      ],
    }).expect(200);
    const { body } = await admin.get(`/api/content/volume${at}s?select=title,reader.title&limit=100`).expect(200);
    const found = (body.data.items as { title: string; reader: Linked[] }[]).map(({ title, reader: linked }) => [
      title,
      linked.map((one) => one.title),
    ]);
    expect(Object.fromEntries(found)).toEqual(links);
  });

  it('keeps the file of a field that now allows several', async () => {
    const page = (multiple: boolean) => schema(`page${at}`, [field('file', 'image', { optional: true, multiple })]);
    await apply(page(false)).expect(201);
    await world.app.sql(
      `INSERT INTO files (id, name, disk, path, type, size, sha256, created_at, updated_at)
       VALUES ('0190a3f0-0000-7000-8000-000000000001', 'a.png', 'local', 'a', 'image/png', 1, repeat('0', 64), now(), now())`,
    );
    await create('page', { title: 'x', image: { id: '0190a3f0-0000-7000-8000-000000000001' } });
    await apply(page(true)).expect(200);
    const { body } = await admin.get(`/api/content/page${at}s?select=title,image.name`).expect(200);
    expect(body.data.items[0].image).toMatchObject([{ name: 'a.png' }]);
  });
});
