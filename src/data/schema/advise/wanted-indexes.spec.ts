import type { LinkedColumn, LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import { isBegun, isWhole, wantedIndexes } from './wanted-indexes.js';
import type { QueryShape } from '../../model/query-shape.types.js';

const NAMES = ['id', 'status', 'author', 'opened_at', 'views', 'rank'];

function model(indexes: readonly (readonly string[])[], extra: Partial<LinkedSchema['table']> = {}): SchemaModel {
  const columns = NAMES.map((name) => ({ id: `c-${name}`, name, field: name }) as LinkedColumn);
  const table = {
    managed: true,
    columns,
    primaryKey: { name: 'pk', columns: ['id'] },
    indexes: indexes.map((of) => ({ columns: of, method: 'btree', live: false })),
    ...extra,
  };
  return { schemas: { ticket: { id: 's', name: 'ticket', table } as unknown as LinkedSchema } };
}

function shape(equal: readonly string[], order: readonly string[] = [], ranges: readonly string[] = []): QueryShape {
  const ids = (names: readonly string[]) => names.map((name) => `c-${name}`);
  return { schema: 's', equal: ids(equal), ranges: ids(ranges), order: ids(order) };
}

const once = (of: QueryShape, milliseconds = 1) => ({ shape: of, seen: 1, milliseconds });
const namesOf = (wanted: ReturnType<typeof wantedIndexes>) =>
  wanted.map(({ columns }) => columns.map(({ name }) => name).join(' '));

describe('wantedIndexes', () => {
  it('has the columns of values first, then those of the order, or of a bound where there is no order', () => {
    const seen = [
      once(shape(['status', 'author'], ['opened_at']), 3),
      once(shape(['status'], [], ['views']), 2),
      once(shape([], ['rank']), 1),
    ];
    expect(namesOf(wantedIndexes(model([]), seen, isBegun))).toEqual([
      'status author opened_at',
      'status views',
      'rank',
    ]);
  });

  it('adds up what the same index serves, and tells first what took longest', () => {
    const seen = [
      once(shape(['author']), 5),
      once(shape(['status'], ['views']), 4),
      once(shape(['status'], ['views'], ['rank']), 4),
    ];
    expect(wantedIndexes(model([]), seen, isBegun)).toMatchObject([
      { seen: 2, milliseconds: 8, columns: [{ name: 'status' }, { name: 'views' }] },
      { seen: 1, milliseconds: 5 },
    ]);
  });

  it.each<[string, readonly string[], readonly string[], boolean, boolean]>([
    ['all of its columns', ['status', 'author', 'opened_at'], [], true, true],
    ['its values in another order', ['author', 'status', 'opened_at', 'views'], [], true, true],
    ['its values alone', ['author', 'status'], [], true, false],
    ['one of its values alone', ['status', 'views'], [], false, false],
    ['the order alone', ['opened_at'], [], false, false],
  ])('an index over %s serves so far', (_, index, __, begun, whole) => {
    const seen = [once(shape(['status', 'author'], ['opened_at']))];
    expect(wantedIndexes(model([index]), seen, isBegun)).toHaveLength(begun ? 0 : 1);
    expect(wantedIndexes(model([index]), seen, isWhole)).toHaveLength(whole ? 0 : 1);
  });

  it('wants none for what is gone, for a table of migrations, and counts no index of some records or of words', () => {
    const seen = [once(shape(['status']))];
    expect(wantedIndexes({ schemas: {} }, seen, isBegun)).toEqual([]);
    expect(wantedIndexes(model([]), [once(shape(['gone']))], isBegun)).toEqual([]);
    expect(wantedIndexes(model([], { managed: false }), seen, isBegun)).toEqual([]);
    const partial = [
      { columns: ['status'], method: 'btree', live: true },
      { columns: ['status'], method: 'search', live: false },
    ] as unknown as LinkedSchema['table']['indexes'];
    expect(wantedIndexes(model([], { indexes: partial }), seen, isBegun)).toHaveLength(1);
  });
});
