import { AppError } from '../../../src/kernel/errors/app-error.js';
import { filtered, hooks, Library, LibraryModule } from '../../support/library.js';
import { RecordHooks } from '../../../src/data/content/write/hooks/record-hooks.service.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const WRITERS = 16;
type Way = (root: TestClient, id: string, at: number) => PromiseLike<{ status: number }>;

/** Every way to change a record that a hook receives as an update. */
const WAYS: readonly (readonly [string, Way])[] = [
  ['a change', (root, id, at) => root.patch(`/api/content/book/${id}`, { note: `${at}` })],
  ['a replacement', (root, id, at) => root.put(`/api/content/book/${id}`, { title: 'a', note: `${at}` })],
  [
    'a change with a key',
    (root, id, at) => root.patch(`/api/content/book/${id}`, { note: `${at}` }).set('idempotency-key', `${id}-${at}`),
  ],
  [
    'a change by a filter',
    (root, _, at) => root.patch(`/api/content/book?${filtered({ title: 'a' })}`, { note: `${at}` }),
  ],
  [
    'an operation of a batch',
    (root, id, at) =>
      root.post('/api/batch', { operations: [{ op: 'update', schema: 'book', id, data: { note: `${at}` } }] }),
  ],
  ['a link from the other side', (root, id) => root.post('/api/content/shelf', { title: 's', books: [id] })],
];

describe('record hooks in concurrent writes', () => {
  const world = useTestApp({ modules: [LibraryModule] });
  let library: Library;

  beforeAll(async () => {
    library = await Library.make(world.app);
  });

  beforeEach(() => library.reset());

  const rank = async (id: string) =>
    (await world.app.sql<{ rank: string }>('SELECT rank FROM books WHERE id = $1', [id]))[0]?.rank;
  const counting = () => {
    hooks.before = ({ values, before: was }) => (values['rank'] = Number(was?.['rank']) + 1);
  };

  const statuses = async (id: string, ways: typeof WAYS) => {
    const writers = Array.from({ length: WRITERS }, async (_, at) => {
      const [, write] = ways[at % ways.length] ?? [];
      return (await write?.(library.root, id, at))?.status ?? 0;
    });
    return (await Promise.all(writers)).toSorted((one, other) => one - other);
  };

  it.each(WAYS)('receive the record as the previous write left it: %s', async (_, write) => {
    const id = await library.make('book', { title: 'a' });
    counting();
    for (const status of await statuses(id, [['', write]])) expect([200, 201]).toContain(status);
    expect(await rank(id)).toBe(String(WRITERS));
    expect(hooks.received.filter((one) => one === 'before update book a')).toHaveLength(WRITERS);
  });

  it('receive it so for mixed ways of writing', async () => {
    const id = await library.make('book', { title: 'a' });
    counting();
    for (const status of await statuses(id, WAYS)) expect([200, 201]).toContain(status);
    expect(await rank(id)).toBe(String(WRITERS));
  });

  it('can reject by what they receive: the last free place is taken once', async () => {
    const id = await library.make('book', { title: 'a' });
    hooks.before = ({ values, before: was }) => {
      if (was?.['rank'] !== 0) throw new AppError('permission_denied');
      values['rank'] = 1;
    };
    const answers = await statuses(id, WAYS.slice(0, -1));
    expect(answers).toEqual([200, ...Array<number>(WRITERS - 1).fill(403)]);
  });

  it('receive one deletion and one restoration', async () => {
    const id = await library.make('book', { title: 'a' });
    await library.make('page', { title: 'p', book: id });
    const one = [200, ...Array<number>(WRITERS - 1).fill(404)];
    const deleted = await statuses(id, [['', (root) => root.delete(`/api/content/book/${id}`)]]);
    expect(deleted).toEqual(one);
    await library.expectEventsOnce('delete book a', 'delete page p');
    const restored = await statuses(id, [['', (root) => root.post(`/api/content/book/${id}/restore`)]]);
    expect(restored).toEqual(one);
    await library.expectEventsOnce('restore book a', 'restore page p');
  });

  it('are resolved once until the schemas change', async () => {
    const found = () => world.app.get(RecordHooks).preparing(world.app.get(SchemaSnapshots).current);
    const before = found();
    expect(before.map(({ schema }) => schema.name)).toContain('user');
    expect(found()).toBe(before);
  });
});
