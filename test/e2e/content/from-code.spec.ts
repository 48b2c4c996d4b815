import type { EntityManager } from 'typeorm';
import { Content, type ContentAs } from '../../../src/data/content/content.service.js';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { GUEST, type Principal } from '../../../src/kernel/principal.types.js';
import { filtered, hooks, Library, LibraryModule, refusal, somebodyWith } from '../../support/library.js';
import { useTestApp } from '../../support/test-app.js';

type Json = Record<string, unknown>;

describe('records from code', () => {
  const world = useTestApp({ modules: [LibraryModule] });
  let library: Library;
  let system: ContentAs;

  beforeAll(async () => {
    library = await Library.make(world.app);
    system = world.app.get(Content).as('system');
  });
  beforeEach(() => library.reset());

  const transaction = <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> =>
    world.app.database.transaction(work);
  const somebody = (permissions: Parameters<typeof somebodyWith>[1]) => somebodyWith(world.app, permissions);

  describe('work like the API', () => {
    it('create, read, list, change, compute and delete', async () => {
      const books = system.schema('book');
      const made = await books.create({ title: 'a', rank: 2, tags: [{ title: 't' }] });
      const url = `/api/content/book/${String(made['id'])}`;
      expect(made).toEqual((await library.root.get(url).expect(200)).body.data);
      const select = ['id', 'title', 'tags.title'];
      const whole = (await library.root.get(`${url}?select=id,title,tags.title`).expect(200)).body.data as Json;
      expect(await books.get(String(made['id']), { select })).toEqual(whole);
      await books.create({ title: 'b', rank: 3 });
      const filter = { rank: { $gte: 2 } };
      const asked = `${filtered(filter)}&sort=-rank,title&limit=1&count=exact`;
      const page = await books.list({ filter, sort: ['-rank', 'title'], limit: 1, count: 'exact' });
      expect(page).toEqual((await library.root.get(`/api/content/book?${asked}`).expect(200)).body.data);
      expect(page).toMatchObject({ total: 2, items: [{ title: 'b' }] });
      expect(await books.update(String(made['id']), { title: 'c' })).toMatchObject({ title: 'c', rank: 2 });
      expect(await books.aggregate({ count: true, sum: ['rank'], group: ['title'] })).toEqual(
        (await library.root.get('/api/content/book/aggregate?count=*&sum=rank&group=title').expect(200)).body.data,
      );
      await books.remove(String(made['id']));
      expect(await books.get(String(made['id']))).toBeNull();
      expect(await books.get(String(made['id']), { withDeleted: true })).toMatchObject({ title: 'c' });
      await library.root.get(url).expect(404);
    });

    it('page by cursor', async () => {
      for (const title of ['a', 'b', 'c']) await system.schema('tag').create({ title });
      const tags = system.schema('tag');
      const first = await tags.list({ sort: 'title', limit: 2, cursor: '' });
      expect(first.items.map(({ title }) => title)).toEqual(['a', 'b']);
      const second = await tags.list({ sort: 'title', limit: 2, cursor: first.next_cursor ?? '' });
      expect(second).toMatchObject({ next_cursor: null, items: [{ title: 'c' }] });
    });

    it('use code types for times, bytes and numbers', async () => {
      const book = await system
        .schema('book')
        .create({ title: 'a', read_at: new Date(0), rank: 7n, note: undefined, meta: { at: new Date(0) } });
      expect(book).toMatchObject({ read_at: '1970-01-01T00:00:00.000Z', rank: 7, note: null });
      expect(book['meta']).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    });

    it('call each hook once, with the principal', async () => {
      const principals: Principal[] = [];
      hooks.before = ({ principal, root }) => principals.push(principal, { root } as never);
      const { id } = await system.schema('book').create({ title: 'a' });
      await library.expectEventsOnce('create book a');
      expect(principals).toEqual([{ kind: 'system' }, { root: true }]);
      await transaction((manager) => system.in(manager).schema('book').update(String(id), { title: 'b' }));
      await library.expectEventsOnce('update book a');
    });
  });

  describe('are rejected like the API', () => {
    it.each<[string, string, unknown]>([
      ['a required field', 'book', {}],
      ['unknown fields and wrong types', 'book', { title: 7, rank: 'x', colour: 'red' }],
      ['a value that is not a record', 'book', 'book'],
      ['a missing value', 'book', undefined],
      ['a link to nothing', 'book', { title: 'a', shelf: '0198c0de-0000-7000-8000-000000000000' }],
    ])('%s', async (_, name, body) => {
      const answer = await library.root.post(`/api/content/${name}`, body as object);
      for (const asked of [system, null]) {
        const work = (as: ContentAs): Promise<unknown> => as.schema(name).create(body as Json);
        const { code, status, details } = await refusal(
          asked === null ? transaction((manager) => work(system.in(manager))) : work(asked),
        );
        expect({ code: String(status), data: { error: code, ...details } }).toEqual({
          code: answer.body.code,
          data: answer.body.data,
        });
      }
      expect(await library.titles()).toEqual([]);
    });

    it('by exceptions of hooks', async () => {
      hooks.before = () => {
        throw new AppError('permission_denied', { message: 'Not today.' });
      };
      expect((await refusal(system.schema('book').create({ title: 'a' }))).message).toBe('Not today.');
    });

    it('for unknown schemas and records', async () => {
      expect((await refusal(system.schema('boook').list())).code).toBe('schema_not_found');
      const nobody = '0198c0de-0000-7000-8000-000000000000';
      expect(await system.schema('book').get(nobody)).toBeNull();
      expect(await system.schema('book').get('no key')).toBeNull();
      expect((await refusal(system.schema('book').update(nobody, { title: 'a' }))).code).toBe('record_not_found');
      expect((await refusal(system.schema('book').remove(nobody))).code).toBe('record_not_found');
    });

    it('for everything that the principal may not do or read', async () => {
      const { principal } = await somebody([
        { resource: 'content.book.list', value: 'record.rank == 1' },
        { resource: 'content.book.create', value: 'allow' },
      ]);
      const books = world.app.get(Content).as(principal).schema('book');
      await system.schema('book').create({ title: 'hidden', rank: 2 });
      const { id, ...rest } = await books.create({ title: 'own', rank: 1 });
      expect(rest).toEqual({});
      expect((await books.list()).items).toMatchObject([{ title: 'own' }]);
      expect((await refusal(books.get(String(id)))).code).toBe('permission_denied');
      expect((await refusal(books.update(String(id), { title: 'x' }))).code).toBe('permission_denied');
      const asGuest = world.app.get(Content).as(GUEST).schema('book');
      expect((await refusal(asGuest.list())).code).toBe('token_missing');
      expect(
        (await refusal(transaction((manager) => world.app.get(Content).as(GUEST).in(manager).schema('book').list())))
          .code,
      ).toBe('token_missing');
    });

    it.each([undefined, null, 'root', {}, { kind: 'root' }])('for %j, which is no principal', (principal) => {
      expect(() => world.app.get(Content).as(principal as never)).toThrow(
        "content.as() requires a principal, such as the value of @CurrentPrincipal(), or 'system'.",
      );
    });
  });

  describe('in a transaction of the caller', () => {
    it('are visible to it only until the commit', async () => {
      const id = await transaction(async (manager) => {
        const books = system.in(manager).schema('book');
        const made = String((await books.create({ title: 'a' }))['id']);
        await manager.query(`UPDATE books SET note = 'by hand' WHERE id = $1`, [made]);
        expect(await books.get(made)).toMatchObject({ note: 'by hand' });
        expect(await books.list({ count: 'exact' })).toMatchObject({ total: 1 });
        expect(await books.aggregate({ count: true })).toEqual([{ count: 1 }]);
        expect(await system.schema('book').get(made)).toBeNull();
        await library.settled();
        expect(hooks.received).toEqual(['before create book a', 'after create book a']);
        return made;
      });
      expect(await system.schema('book').get(id)).toMatchObject({ note: 'by hand' });
      await library.expectEventsOnce('create book a');
    });

    it('roll back with it, without a commit hook', async () => {
      const undone = transaction(async (manager) => {
        await system
          .in(manager)
          .schema('shelf')
          .create({ title: 's', books: [{ title: 'a' }] });
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await library.settled();
      expect(await library.titles()).toEqual([]);
      expect(hooks.received.filter((one) => one.startsWith('commit'))).toEqual([]);
    });

    it('roll back only themselves when rejected, for any reason', async () => {
      await transaction(async (manager) => {
        const books = system.in(manager).schema('book');
        const { id } = await books.create({ title: 'a' });
        await refusal(books.create({ title: 'b', shelf: '0198c0de-0000-7000-8000-000000000000' }));
        await refusal(books.create({ rank: 1 }));
        hooks.after = () => {
          throw new AppError('permission_denied');
        };
        await refusal(books.update(String(id), { title: 'x' }));
        await refusal(books.create({ title: 'c' }));
        hooks.after = () => undefined;
        await refusal(books.list({ filter: { colour: 'red' } }));
        await refusal(books.aggregate({ sum: ['title'] }));
        await books.create({ title: 'd' });
      });
      expect(await library.titles()).toEqual(['a', 'd']);
    });

    it('run in order when 16 start at the same time; a rejected one rolls back only itself', async () => {
      const settled = await transaction((manager) => {
        const books = system.in(manager).schema('book');
        const bodies = Array.from({ length: 16 }, (_, at) => (at % 4 === 3 ? { rank: at } : { title: `book ${at}` }));
        return Promise.allSettled(bodies.map((body) => books.create(body)));
      });
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(12);
      expect(await library.titles()).toHaveLength(12);
    });

    it('may be written by hooks, also in parallel', async () => {
      hooks.after = async ({ schema, after, manager }) => {
        if (schema !== 'book' || String(after?.['title']).startsWith('copy')) return;
        const books = system.in(manager).schema('book');
        const copies = ['copy 1', 'copy 2'].map((title) =>
          books.create({ title: `${title} of ${String(after?.['title'])}` }),
        );
        await Promise.all(copies);
      };
      await system.schema('book').create({ title: 'a' });
      await transaction(async (manager) => {
        await Promise.all(['b', 'c'].map((title) => system.in(manager).schema('book').create({ title })));
      });
      await library.root.post('/api/content/book', { title: 'd' }).expect(201);
      const each = ['a', 'b', 'c', 'd'].flatMap((title) => [title, `copy 1 of ${title}`, `copy 2 of ${title}`]);
      expect(await library.titles()).toEqual(each.toSorted());
    });

    it('invalidate the caches of all instances after the commit only', async () => {
      const { client } = await somebody([{ resource: 'content.book.create', value: 'allow' }]);
      const ask = async (): Promise<number> => (await client.get('/api/content/tag')).status;
      const [{ name } = { name: '' }] = await world.app.sql<{ name: string }>(
        `SELECT name FROM roles ORDER BY created_at DESC LIMIT 1`,
      );
      const grant = { resource: 'content.tag.list', value: 'allow' };
      expect(await ask()).toBe(403);
      const role = (await system.schema('role').list({ filter: { name } })).items[0];
      const undone = transaction(async (manager) => {
        await system
          .in(manager)
          .schema('permission')
          .create({ ...grant, role: role?.['id'] });
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await ask()).toBe(403);
      await transaction(async (manager) => {
        await system
          .in(manager)
          .schema('permission')
          .create({ ...grant, role: role?.['id'] });
        expect(await ask()).toBe(403);
      });
      expect(await ask()).toBe(200);
    });

    it('are rejected without a transaction, or after its end', async () => {
      const sentence =
        'content.in() requires the manager of a transaction, such as the one of dataSource.transaction().';
      expect(() => system.in(world.app.database.manager)).toThrow(sentence);
      let late: Promise<unknown> = Promise.resolve();
      const books = await transaction((manager) => Promise.resolve(system.in(manager).schema('book')));
      late = books.create({ title: 'late' });
      await expect(late).rejects.toThrow(
        'The transaction of content.in(manager) has ended. Await all calls that use it.',
      );
      expect(await library.titles()).toEqual([]);
    });
  });
});
