import type { EntityManager } from 'typeorm';
import { Content, type ContentAs } from '../../../src/data/content/content.service.js';
import { hooks, Library, LibraryModule, refusal, somebodyWith } from '../../support/library.js';
import { useTestApp } from '../../support/test-app.js';
import { versionOf } from '../../support/entity-tags.js';

describe('versions and sets of records from code', () => {
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

  describe('a change by version', () => {
    const VERSION = /^\d+$/;

    it('accepts the version of the API until the record changes', async () => {
      const books = system.schema('book');
      const id = String((await books.create({ title: 'a' }))['id']);
      const { record, version } = (await books.getWithVersion(id))!;
      expect(record).toMatchObject({ title: 'a' });
      expect(version).toMatch(VERSION);
      expect(versionOf(await library.root.get(`/api/content/book/${id}`))).toBe(`"${version}"`);
      expect(await books.update(id, { title: 'b' }, { ifVersion: version })).toMatchObject({ title: 'b' });
      for (const change of [
        () => books.update(id, { title: 'c' }, { ifVersion: version }),
        () => books.remove(id, { ifVersion: version }),
        () =>
          transaction((manager) =>
            system.in(manager).schema('book').update(id, { title: 'c' }, { ifVersion: version }),
          ),
        () => transaction((manager) => system.in(manager).schema('book').remove(id, { ifVersion: version })),
      ])
        expect(await refusal(change())).toMatchObject({ code: 'record_changed', status: 412 });
      await transaction(async (manager) => {
        const within = system.in(manager).schema('book');
        const newer = (await within.getWithVersion(id))!.version;
        await within.update(id, { title: 'd' }, { ifVersion: newer });
        await refusal(within.update(id, { title: 'e' }, { ifVersion: newer }));
        await within.remove(id, { ifVersion: (await within.getWithVersion(id))!.version });
      });
      expect(await books.getWithVersion(id)).toBeNull();
    });

    it('succeeds once for 16 concurrent calls with one version', async () => {
      const books = system.schema('book');
      const id = String((await books.create({ title: 'a' }))['id']);
      const { version: ifVersion } = (await books.getWithVersion(id))!;
      const tries = Array.from({ length: 16 }, (_, at) => books.update(id, { rank: at }, { ifVersion }));
      const settled = await Promise.allSettled(tries);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it.each(['*', '', '1,*', '"*"', '1", "*', ' * ', 'W/"1"'])('rejects %j', async (ifVersion) => {
      const books = system.schema('book');
      const id = String((await books.create({ title: 'a' }))['id']);
      expect((await refusal(books.update(id, { title: 'b' }, { ifVersion }))).code).toBe('record_changed');
      expect((await refusal(books.remove(id, { ifVersion }))).code).toBe('record_changed');
      expect(await library.titles()).toEqual(['a']);
    });
  });

  describe('sets of records, as over the API', () => {
    const four = [{ title: 'a' }, { title: 'b', rank: 1 }, { title: 'c', rank: 1 }, { title: 'd', rank: 2 }];

    it('are created all or none, in order', async () => {
      const books = system.schema('book');
      const made = await books.createMany(four, { select: 'title,rank' });
      expect(made).toEqual(four.map((one) => ({ rank: 0, ...one })));
      await library.expectEventsOnce(...four.map(({ title }) => `create book ${title}`));
      const { code, details } = await refusal(books.createMany([{ title: 'e' }, { rank: 1 }]));
      const answer = await library.root.post('/api/content/book', [{ title: 'e' }, { rank: 1 }]).expect(400);
      expect({ error: code, ...details }).toEqual(answer.body.data);
      expect(await library.titles()).toEqual(['a', 'b', 'c', 'd']);
      expect(await books.createMany([])).toEqual([]);
      await expect(books.createMany({ title: 'e' } as never)).rejects.toThrow(
        'createMany() requires a list of records.',
      );
    });

    it('are changed and deleted by a filter, with their hooks', async () => {
      const books = system.schema('book');
      await books.createMany(four);
      await library.settled();
      hooks.received = [];
      expect(await books.updateMany({ rank: 1 }, { note: 'x' })).toBe(2);
      await library.expectEventsOnce('update book b', 'update book c');
      expect(await books.removeMany({ note: 'x' })).toBe(2);
      await library.expectEventsOnce('delete book b', 'delete book c');
      expect((await books.list({ sort: 'title' })).items).toMatchObject([{ title: 'a' }, { title: 'd' }]);
    });

    it('need a filter', async () => {
      const books = system.schema('book');
      await books.createMany(four);
      for (const filter of [undefined, null, 'rank', []])
        for (const work of [books.updateMany(filter as never, { note: 'x' }), books.removeMany(filter as never)])
          expect((await refusal(work)).code).toBe('query_invalid');
      expect((await refusal(books.updateMany({ colour: 'red' }, { note: 'x' }))).code).toBe('query_invalid');
      expect(await library.titles()).toHaveLength(4);
    });

    it('respect the principal, and roll back with the transaction', async () => {
      const { principal } = await somebody([
        { resource: 'content.book.list', value: 'allow' },
        { resource: 'content.book.update', value: 'record.rank == 1' },
      ]);
      await system.schema('book').createMany(four);
      const theirs = world.app.get(Content).as(principal);
      expect(await theirs.schema('book').updateMany({}, { note: 'x' })).toBe(2);
      expect((await refusal(theirs.schema('book').removeMany({}))).code).toBe('permission_denied');
      expect((await refusal(theirs.schema('book').createMany(four))).code).toBe('permission_denied');
      const undone = transaction(async (manager) => {
        expect(
          await system
            .in(manager)
            .schema('book')
            .removeMany({ rank: { $gte: 1 } }),
        ).toBe(3);
        await system
          .in(manager)
          .schema('book')
          .createMany([{ title: 'e' }]);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect((await system.schema('book').list({ sort: 'title' })).items).toMatchObject(four);
    });

    it('are restored after a deletion, with their dependent records', async () => {
      const books = system.schema('book');
      const { id } = await books.create({ title: 'a', pages: [{ title: 'p' }] });
      await books.remove(String(id));
      await library.settled();
      hooks.received = [];
      expect(await books.restore(String(id), { select: 'title,pages.title' })).toEqual({
        title: 'a',
        pages: [{ title: 'p' }],
      });
      await library.expectEventsOnce('restore book a', 'restore page p');
      expect((await refusal(books.restore('0198c0de-0000-7000-8000-000000000000'))).code).toBe('record_not_found');
      const { principal } = await somebody([{ resource: 'content.book.delete', value: 'allow' }]);
      const theirs = world.app.get(Content).as(principal).schema('book');
      expect((await refusal(theirs.restore(String(id)))).code).toBe('permission_denied');
    });
  });
});
