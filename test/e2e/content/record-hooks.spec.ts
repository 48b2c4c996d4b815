import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Injectable, Module, Scope } from '@nestjs/common';
import { AfterWrite } from '../../../src/identity/records/record-hooks.decorators.js';
import { Content } from '../../../src/data/content/content.service.js';
import { filtered, Library, LibraryModule } from '../../support/library.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const A_AND_B = filtered({ title: { $in: ['a', 'b'] } });

describe('record hooks', () => {
  const world = useTestApp({ modules: [LibraryModule] });
  let library: Library;

  beforeAll(async () => {
    library = await Library.make(world.app);
  });

  beforeEach(() => library.reset());

  /** Every way to write, with the writes of books and pages that hooks receive. */
  const WAYS: Readonly<
    Record<string, { readonly routes?: string; write: () => Promise<unknown>; received: string[] }>
  > = {
    'a single record': {
      routes: 'POST /api/content/{schema}',
      write: () => library.post('book', { title: 'a' }),
      received: ['create book a'],
    },
    'a request that is sent again': {
      write: async () => {
        for (const _time of [1, 2])
          await library.root.post('/api/content/book', { title: 'a' }).set('idempotency-key', 'once').expect(201);
      },
      received: ['create book a'],
    },
    'a list of records': {
      write: () => library.post('book', [{ title: 'a' }, { title: 'b' }]),
      received: ['create book a', 'create book b'],
    },
    'records that others nest, on either side': {
      write: async () => {
        await library.post('shelf', { title: 's', books: [{ title: 'a', pages: [{ title: 'p' }] }, { title: 'b' }] });
        await library.post('page', { title: 'q', book: { title: 'c' } });
      },
      received: ['create book a', 'create page p', 'create book b', 'create page q', 'create book c'],
    },
    'a change': {
      routes: 'PATCH /api/content/{schema}/{id}',
      write: async () => {
        await library.root
          .patch(`/api/content/book/${await library.make('book', { title: 'a' })}`, { rank: 3 })
          .expect(200);
      },
      received: ['update book a'],
    },
    'a replacement': {
      routes: 'PUT /api/content/{schema}/{id}',
      write: async () => {
        const a = await library.make('book', { title: 'a' });
        await library.root.put(`/api/content/book/${a}`, { title: 'a' }).expect(200);
      },
      received: ['update book a'],
    },
    'a change of many': {
      routes: 'PATCH /api/content/{schema}',
      write: async () => {
        await library.make('book', [{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
        await library.root.patch(`/api/content/book?${A_AND_B}`, { rank: 3 }).expect(200);
      },
      received: ['update book a', 'update book b'],
    },
    'a batch': {
      routes: 'POST /api/batch',
      write: async () => {
        const a = await library.make('book', { title: 'a' });
        const b = await library.make('book', { title: 'b' });
        const operations = [
          { op: 'create', schema: 'book', data: { title: 'c' } },
          { op: 'update', schema: 'book', id: a, data: { note: 'x' } },
          { op: 'delete', schema: 'book', id: b },
        ];
        await library.root.post('/api/batch', { operations }).expect(200);
      },
      received: ['create book c', 'update book a', 'delete book b'],
    },
    'a file of records': {
      routes: 'POST /api/content/{schema}/import',
      write: async () => {
        const file = library.root.post('/api/content/book/import').set('content-type', 'text/csv');
        await file.send('title\na\nb\n').expect(200);
      },
      received: ['create book a', 'create book b'],
    },
    'links stored in the record, from the other side': {
      write: async () => {
        const a = await library.make('book', { title: 'a' });
        const b = await library.make('book', { title: 'b' });
        const shelf = await library.make('shelf', { title: 's' });
        await library.root.patch(`/api/content/shelf/${shelf}`, { books: [a, b] }).expect(200);
        await library.root.patch(`/api/content/shelf/${shelf}`, { books: { $remove: [a] } }).expect(200);
      },
      received: ['update book a', 'update book b', 'update book a'],
    },
    'links of a junction, from the written side': {
      write: async () => {
        const b = await library.make('book', { title: 'b' });
        const tag = await library.make('tag', { title: 't' });
        await library.root.patch(`/api/content/book/${b}`, { tags: [tag] }).expect(200);
      },
      received: ['update book b'],
    },
    'a deletion, with what goes with it': {
      routes: 'DELETE /api/content/{schema}/{id}',
      write: async () => {
        const a = await library.make('book', { title: 'a' });
        await library.make('page', { title: 'p', book: a });
        await library.root.delete(`/api/content/book/${a}`).expect(200);
      },
      received: ['delete book a', 'delete page p'],
    },
    'a record that comes back, with what went with it': {
      routes: 'POST /api/content/{schema}/{id}/restore',
      write: async () => {
        const a = await library.make('book', { title: 'a' });
        await library.make('page', { title: 'p', book: a });
        await library.root.delete(`/api/content/book/${a}`).expect(200);
        await library.expectEventsOnce('delete book a', 'delete page p');
        await library.root.post(`/api/content/book/${a}/restore`).expect(200);
      },
      received: ['restore book a', 'restore page p'],
    },
    'a deletion of many': {
      routes: 'DELETE /api/content/{schema}',
      write: async () => {
        await library.make('book', [{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
        await library.root.delete(`/api/content/book?${A_AND_B}`).expect(200);
      },
      received: ['delete book a', 'delete book b'],
    },
    'a reference that the database empties, as what it leads to is gone for good': {
      write: async () => {
        const shelf = await library.make('shelf', { title: 's' });
        const a = await library.make('book', { title: 'a', shelf });
        await library.root.delete(`/api/content/shelf/${shelf}`).expect(200);
        expect(await world.app.sql('SELECT shelf_id FROM books WHERE id = $1', [a])).toEqual([{ shelf_id: null }]);
      },
      received: ['update book a'],
    },
    'code, record by record': {
      write: async () => {
        const books = world.app.get(Content).as('system').schema('book');
        const { id } = await books.create({ title: 'a' });
        await books.update(String(id), { rank: 2 });
        await books.remove(String(id));
        await books.restore(String(id));
      },
      received: ['create book a', 'update book a', 'delete book a', 'restore book a'],
    },
    'changes of many in the background': {
      routes: 'POST /api/bulk-changes',
      write: async () => {
        await library.make('book', [{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
        const filter = { title: { $in: ['a', 'b'] } };
        const change = { schema: 'book', action: 'update', filter, values: { rank: 3 } };
        await library.root.post('/api/bulk-changes', change).expect(202);
        while ((await world.app.sql(`SELECT FROM background_operations WHERE state = 'running'`)).length > 0)
          await delay(20);
      },
      received: ['update book a', 'update book b'],
    },
    'code, many records': {
      write: async () => {
        const books = world.app.get(Content).as('system').schema('book');
        await books.createMany([{ title: 'a' }, { title: 'b', pages: [{ title: 'p' }] }]);
        await books.updateMany({ title: { $in: ['a'] } }, { rank: 3 });
        await books.removeMany({ title: { $in: ['a'] } });
      },
      received: ['create book a', 'create book b', 'create page p', 'update book a', 'delete book a'],
    },
    "code, in the caller's transaction": {
      write: () =>
        world.app.database.transaction(async (manager) => {
          const books = world.app.get(Content).as('system').in(manager).schema('book');
          await books.create({ title: 'a' });
          await books.updateMany({}, { rank: 3 });
        }),
      received: ['create book a', 'update book a'],
    },
    'a change of the schema, and its undoing, which write no records': {
      write: async () => {
        await library.make('book', { title: 'a' });
        const { body } = await library.root.get('/api/schema/book').expect(200);
        const { data: book } = body as { data: { fields: object[] } };
        const fields = [...book.fields, { type: 'string', name: 'colour', optional: true }];
        await library.root.put('/api/schema/book', { ...book, fields }).expect(200);
        await library.root.post('/api/schema/undo', {}).expect(200);
      },
      received: [],
    },
  };

  it.each(Object.entries(WAYS))(
    'are called once per record in each phase, by %s',
    async (_way, { write, received }) => {
      await write();
      await library.expectEventsOnce(...received);
    },
  );

  it('are called for every route that writes records', async () => {
    const { body } = await library.root.get('/api/openapi.json').expect(200);
    const { paths } = body as { paths: Record<string, object> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const generic = (route: string): string => route.replace(/\/content\/books?\b/, '/content/{schema}');
    const writing = routes
      .filter((route) => /^(POST|PUT|PATCH|DELETE) \/api\/(content\/books?\b|batch|bulk-changes$)/.test(route))
      .map(generic);
    expect(writing.toSorted()).toEqual(
      Object.values(WAYS)
        .flatMap(({ routes: named }) => named ?? [])
        .toSorted(),
    );
  });
});

describe('that could not run stop the start', () => {
  const start = (module: unknown) => TestApp.start({ modules: [module as never] }).then((app) => app.stop());

  it('on a controller', async () => {
    @Controller('idle')
    class IdleController {
      @AfterWrite('book')
      hear(): void {}
    }
    @Module({ controllers: [IdleController] })
    class IdleModule {}
    await expect(start(IdleModule)).rejects.toThrow(
      'IdleController.hear is a record hook: its class must be a provider.',
    );
  });

  it('on a request-scoped class', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Fleeting {
      @AfterWrite('book')
      hear(): void {}
    }
    @Module({ providers: [Fleeting] })
    class FleetingModule {}
    await expect(start(FleetingModule)).rejects.toThrow(
      'Fleeting.hear is a record hook: its class must be a singleton.',
    );
  });

  it('on a static method', () => {
    expect(() => {
      class Still {
        @(AfterWrite('book') as unknown as MethodDecorator)
        static hear(): void {}
      }
      return Still;
    }).toThrow(/^\w+\.hear is a record hook: it must be a non-static method\.$/);
  });
});
