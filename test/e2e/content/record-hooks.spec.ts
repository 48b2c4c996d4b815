import { Controller, Injectable, Module, Scope } from '@nestjs/common';
import { AfterWrite } from '../../../src/identity/records/record-hooks.decorators.js';
import { filtered, Library, LibraryModule } from '../../support/library.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

describe('hooks of records', () => {
  const world = useTestApp({ modules: [LibraryModule] });
  let library: Library;

  beforeAll(async () => {
    library = await Library.make(world.app);
  });

  beforeEach(() => library.reset());

  describe('each way of writing calls each hook once a record', () => {
    it('a new record, with a key of idempotency, and a list of them', async () => {
      await library.post('book', { title: 'a' });
      await library.root.post('/api/content/book', { title: 'b' }).set('idempotency-key', 'once').expect(201);
      await library.root.post('/api/content/book', { title: 'b' }).set('idempotency-key', 'once').expect(201);
      await library.post('book', [{ title: 'c' }, { title: 'd' }]);
      await library.heardOnce('create book a', 'create book b', 'create book c', 'create book d');
    });

    it('records that others nest, on either side', async () => {
      await library.post('shelf', { title: 's', books: [{ title: 'a', pages: [{ title: 'p' }] }, { title: 'b' }] });
      await library.post('page', { title: 'q', book: { title: 'c' } });
      await library.heardOnce('create book a', 'create page p', 'create book b', 'create page q', 'create book c');
    });

    it('a change, a replacement, and a change of many', async () => {
      const a = await library.make('book', { title: 'a' });
      await library.make('book', { title: 'b' });
      await library.root.patch(`/api/content/book/${a}`, { note: 'x' }).expect(200);
      await library.root.put(`/api/content/book/${a}`, { title: 'a' }).expect(200);
      await library.heardOnce('update book a', 'update book a');
      await library.root
        .patch(`/api/content/book?${filtered({ title: { $in: ['a', 'b'] } })}`, { rank: 3 })
        .expect(200);
      await library.heardOnce('update book a', 'update book b');
    });

    it('a batch', async () => {
      const a = await library.make('book', { title: 'a' });
      const b = await library.make('book', { title: 'b' });
      const operations = [
        { op: 'create', schema: 'book', data: { title: 'c' } },
        { op: 'update', schema: 'book', id: a, data: { note: 'x' } },
        { op: 'delete', schema: 'book', id: b },
      ];
      await library.root.post('/api/batch', { operations }).expect(200);
      await library.heardOnce('create book c', 'update book a', 'delete book b');
    });

    it('links that the record holds, from either side, and those of a junction from the written one', async () => {
      const a = await library.make('book', { title: 'a' });
      const b = await library.make('book', { title: 'b' });
      const shelf = await library.make('shelf', { title: 's' });
      const tag = await library.make('tag', { title: 't' });
      await library.root.patch(`/api/content/shelf/${shelf}`, { books: [a, b] }).expect(200);
      await library.heardOnce('update book a', 'update book b');
      await library.root.patch(`/api/content/shelf/${shelf}`, { books: { $remove: [a] } }).expect(200);
      await library.root.patch(`/api/content/book/${b}`, { tags: [tag] }).expect(200);
      await library.heardOnce('update book a', 'update book b');
    });

    it('a deletion with what goes with it, and what comes back with it', async () => {
      const a = await library.make('book', { title: 'a' });
      await library.make('page', { title: 'p', book: a });
      await library.root.delete(`/api/content/book/${a}`).expect(200);
      await library.heardOnce('delete book a', 'delete page p');
      await library.root.post(`/api/content/book/${a}/restore`).expect(200);
      await library.heardOnce('restore book a', 'restore page p');
    });

    it('a deletion of many', async () => {
      await library.make('book', { title: 'a' });
      await library.make('book', { title: 'b' });
      await library.root.delete(`/api/content/book?${filtered({ title: { $in: ['a', 'b'] } })}`).expect(200);
      await library.heardOnce('delete book a', 'delete book b');
    });

    it('a reference that the database empties, as what it leads to is gone for good', async () => {
      const shelf = await library.make('shelf', { title: 's' });
      const a = await library.make('book', { title: 'a', shelf });
      await library.root.delete(`/api/content/shelf/${shelf}`).expect(200);
      await library.heardOnce('update book a');
      expect(await world.app.sql('SELECT shelf_id FROM books WHERE id = $1', [a])).toEqual([{ shelf_id: null }]);
    });
  });
});

describe('a hook that could never run stops the start', () => {
  const start = (module: unknown) => TestApp.start({ modules: [module as never] }).then((app) => app.stop());

  it('on a class that no module has', async () => {
    class Forgotten {
      @AfterWrite('book')
      hear(): void {}
    }
    void Forgotten;
    @Module({ imports: [LibraryModule] })
    class EmptyModule {}
    await expect(start(EmptyModule)).rejects.toThrow(
      'Forgotten.hear hears of records, but no module of the application has Forgotten as a provider',
    );
  });

  it('on a controller', async () => {
    @Controller('idle')
    class IdleController {
      @AfterWrite('book')
      hear(): void {}
    }
    @Module({ controllers: [IdleController] })
    class IdleModule {}
    await expect(start(IdleModule)).rejects.toThrow(
      'IdleController.hear hears of records: its class must be a provider.',
    );
  });

  it('on a class that is made for each request', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Fleeting {
      @AfterWrite('book')
      hear(): void {}
    }
    @Module({ providers: [Fleeting] })
    class FleetingModule {}
    await expect(start(FleetingModule)).rejects.toThrow(
      'Fleeting.hear hears of records: its class must be a singleton.',
    );
  });

  it('on a static method', () => {
    expect(() => {
      class Still {
        @(AfterWrite('book') as unknown as MethodDecorator)
        static hear(): void {}
      }
      return Still;
    }).toThrow(/^\w+\.hear hears of records: it must be a method that is not static\.$/);
  });
});
