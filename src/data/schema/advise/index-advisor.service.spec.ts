import type { LinkedColumn, LinkedSchema, SchemaModel, QueryShape } from '../../model/schema-model.types.js';
import { indexCandidates } from './index-advisor.service.js';

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
const namesOf = (candidates: ReturnType<typeof indexCandidates>) =>
  candidates.map(({ columns }) => columns.map(({ name }) => name).join(' '));

describe('index candidates', () => {
  it('put equality columns first, then sort columns, or range columns if there is no order', () => {
    const seen = [
      once(shape(['status', 'author'], ['opened_at']), 3),
      once(shape(['status'], [], ['views']), 2),
      once(shape([], ['rank']), 1),
    ];
    expect(namesOf(indexCandidates(model([]), seen, 'partly'))).toEqual([
      'status author opened_at',
      'status views',
      'rank',
    ]);
  });

  it('sum the times of all lists that one index serves, slowest first', () => {
    const seen = [
      once(shape(['author']), 5),
      once(shape(['status'], ['views']), 4),
      once(shape(['status'], ['views'], ['rank']), 4),
    ];
    expect(indexCandidates(model([]), seen, 'partly')).toMatchObject([
      { seen: 2, milliseconds: 8, columns: [{ name: 'status' }, { name: 'views' }] },
      { seen: 1, milliseconds: 5 },
    ]);
  });

  it.each<[string, readonly string[], readonly string[], boolean, boolean]>([
    ['all columns', ['status', 'author', 'opened_at'], [], true, true],
    ['equality columns in another order', ['author', 'status', 'opened_at', 'views'], [], true, true],
    ['the equality columns only', ['author', 'status'], [], true, false],
    ['one equality column only', ['status', 'views'], [], false, false],
    ['the sort column only', ['opened_at'], [], false, false],
  ])('account for an existing index on %s', (_, index, __, partly, fully) => {
    const seen = [once(shape(['status', 'author'], ['opened_at']))];
    expect(indexCandidates(model([index]), seen, 'partly')).toHaveLength(partly ? 0 : 1);
    expect(indexCandidates(model([index]), seen, 'fully')).toHaveLength(fully ? 0 : 1);
  });

  it('exclude dropped fields and migration tables, and ignore partial and full-text indexes', () => {
    const seen = [once(shape(['status']))];
    expect(indexCandidates({ schemas: {} }, seen, 'partly')).toEqual([]);
    expect(indexCandidates(model([]), [once(shape(['gone']))], 'partly')).toEqual([]);
    expect(indexCandidates(model([], { managed: false }), seen, 'partly')).toEqual([]);
    const partial = [
      { columns: ['status'], method: 'btree', live: true },
      { columns: ['status'], method: 'search', live: false },
    ] as unknown as LinkedSchema['table']['indexes'];
    expect(indexCandidates(model([], { indexes: partial }), seen, 'partly')).toHaveLength(1);
  });
});
