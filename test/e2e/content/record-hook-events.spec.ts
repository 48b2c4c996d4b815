import { Injectable, Module } from '@nestjs/common';
import type { AfterWriteEvent, BeforeWriteEvent } from '../../../src/identity/records/record-event.types.js';
import { BeforeWrite } from '../../../src/identity/records/record-hooks.decorators.js';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { filtered, hooks, Library, LibraryModule } from '../../support/library.js';
import { until } from '../../support/mailbox.js';
import { useTestApp } from '../../support/test-app.js';

type Json = Record<string, unknown>;

@Injectable()
class Everything {
  seen: { schema: string; values: Json; hidden: Json }[] = [];

  @BeforeWrite('*', { on: ['create'], order: -1 })
  look({ schema: name, values, hidden }: BeforeWriteEvent): void {
    this.seen.push({ schema: name, values: { ...values }, hidden: { ...hidden } });
  }
}

@Module({ providers: [Everything] })
class EverythingModule {}

describe('events and actions of record hooks', () => {
  const world = useTestApp({ modules: [LibraryModule, EverythingModule] });
  let library: Library;

  beforeAll(async () => {
    library = await Library.make(world.app);
  });

  beforeEach(() => library.reset());

  describe('an event', () => {
    it('contains the principal, the schema, and the record before and after', async () => {
      const events: AfterWriteEvent[] = [];
      hooks.after = (event) => events.push(event);
      const { id } = await library.post('book', { title: 'a', rank: 2 });
      await library.root.patch(`/api/content/book/${String(id)}`, { rank: 3 }).expect(200);
      await library.root.delete(`/api/content/book/${String(id)}`).expect(200);
      const [made, changed, gone] = events;
      expect(made).toMatchObject({
        id,
        before: null,
        after: { title: 'a', rank: 2 },
        principal: { kind: 'account' },
        root: true,
      });
      expect(changed).toMatchObject({ id, before: { rank: 2 }, after: { rank: 3 }, written: { rank: 3 } });
      expect([...(changed?.named ?? [])]).toEqual(['rank']);
      expect(gone).toMatchObject({ id, before: { rank: 3 }, after: null });
    });

    it('is in the transaction of the write, and its writes commit or roll back with it', async () => {
      hooks.before = ({ manager, values }) =>
        manager.query(
          'INSERT INTO tags (id, title, created_at, updated_at) VALUES (gen_random_uuid(), $1, now(), now())',
          [`of ${String(values['title'])}`],
        );
      await library.post('book', { title: 'a' });
      hooks.after = () => {
        throw new AppError('permission_denied');
      };
      await library.root.post('/api/content/book', { title: 'b' }).expect(403);
      expect(await world.app.sql('SELECT title FROM tags')).toEqual([{ title: 'of a' }]);
    });
  });

  describe('before the write', () => {
    it('changes the values of new and changed records, each in a list', async () => {
      hooks.before = ({ values, before: was }) => {
        values['note'] = `for ${String(values['title'] ?? was?.['title'])}`;
        values['read_at'] = '2026-01-02T03:04:05.000Z';
        values['meta'] = { by: ['hook'] };
      };
      expect(await library.post('book', { title: 'a' })).toMatchObject({
        note: 'for a',
        read_at: '2026-01-02T03:04:05.000Z',
        meta: { by: ['hook'] },
      });
      await library.post('book', [{ title: 'b' }, { title: 'c', note: 'own' }]);
      await library.root
        .patch(`/api/content/book?${filtered({ title: { $in: ['a', 'b', 'c'] } })}`, { note: 'alike' })
        .expect(200);
      const notes = await world.app.sql<{ note: string }>('SELECT note FROM books ORDER BY title');
      expect(notes.map(({ note: one }) => one)).toEqual(['for a', 'for b', 'for c']);
    });

    it('changes the values of a record that is only linked or unlinked', async () => {
      const a = await library.make('book', { title: 'a' });
      const shelf = await library.make('shelf', { title: 's' });
      hooks.before = ({ values }) => (values['rank'] = 7);
      await library.root.patch(`/api/content/shelf/${shelf}`, { books: [a] }).expect(200);
      hooks.before = ({ values }) => (values['note'] = 'released');
      await library.root.delete(`/api/content/shelf/${shelf}`).expect(200);
      const [row] = await world.app.sql('SELECT rank, note, shelf_id FROM books');
      expect(row).toEqual({ rank: '7', note: 'released', shelf_id: null });
    });

    it('removes a value: a new record gets the default, another keeps its value', async () => {
      hooks.before = ({ values }) => delete values['rank'];
      const made = await library.post('book', { title: 'a', rank: 5 });
      expect(made).toMatchObject({ rank: 0 });
    });

    it.each<[string, unknown, string]>([
      ['note', 'longer than twenty characters', 'value_invalid'],
      ['rank', 'many', 'value_invalid'],
      ['title', null, 'value_invalid'],
      ['created_at', '2026-01-01T00:00:00Z', 'read_only'],
      ['nothing', 1, 'unknown_field'],
      ['tags', [], 'unknown_field'],
    ])('is limited to valid values: %s = %j', async (name, value, code) => {
      hooks.before = ({ values }) => (values[name] = value);
      const { body } = await library.root.post('/api/content/book', { title: 'a' }).expect(400);
      expect(body.data.errors).toEqual([expect.objectContaining({ field: name, code })]);
      expect(await library.titles()).toEqual([]);
    });

    it('rejects the whole request, for every way of writing', async () => {
      const a = await library.make('book', { title: 'a' });
      hooks.before = ({ before: was, values }) => {
        if ([was?.['title'], values['title']].includes('bad')) throw new AppError('permission_denied');
      };
      await library.root.post('/api/content/book', { title: 'bad' }).expect(403);
      await library.root.post('/api/content/book', [{ title: 'good' }, { title: 'bad' }]).expect(403);
      await library.root
        .post('/api/content/shelf', { title: 's', books: [{ title: 'good' }, { title: 'bad' }] })
        .expect(403);
      await library.root.patch(`/api/content/book/${a}`, { title: 'bad' }).expect(403);
      const operations = [
        { op: 'create', schema: 'book', data: { title: 'good' } },
        { op: 'create', schema: 'book', data: { title: 'bad' } },
      ];
      await library.root.post('/api/batch', { operations }).expect(403);
      hooks.before = () => {
        throw new AppError('record_in_use');
      };
      await library.root.delete(`/api/content/book/${a}`).expect(409);
      await library.settled();
      expect(await library.titles()).toEqual(['a']);
      expect(await world.app.sql('SELECT title FROM shelves')).toEqual([]);
      expect(hooks.received.filter((one) => one.startsWith('commit'))).toEqual([]);
    });
  });

  describe('after the commit', () => {
    it('is not called after a rollback', async () => {
      hooks.after = () => {
        throw new AppError('permission_denied');
      };
      await library.root.post('/api/content/book', { title: 'a' }).expect(403);
      await library.settled();
      expect(hooks.received).toEqual(['before create book a', 'after create book a']);
    });

    it('sees committed data; its errors are logged and not returned', async () => {
      let seen: unknown;
      hooks.committed = async ({ manager }) => {
        seen = await manager.query('SELECT title FROM books');
        throw new Error('the index is down');
      };
      await library.post('book', { title: 'a' });
      await until(() => world.app.log.join('').includes('the index is down'), 'the fault in the log');
      expect(seen).toEqual([{ title: 'a' }]);
      expect(world.app.log.join('')).toContain('Librarian.committed');
    });
  });

  it('for every schema receive no password, neither in clear text nor hashed', async () => {
    const everything = world.app.get(Everything);
    everything.seen = [];
    await library.root
      .post('/api/content/user', { email: 'ann@example.com', password: 'sturdy walnut 47' })
      .expect(201);
    await library.post('tag', { title: 't' });
    expect(everything.seen.map(({ schema: name }) => name)).toEqual(['user', 'tag']);
    expect(JSON.stringify(everything.seen)).not.toContain('password');
  });
});
