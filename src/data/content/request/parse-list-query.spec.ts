import { AppError } from '../../../kernel/errors/app-error.js';
import { CONTENT_VARIABLES } from '../content.variables.js';
import { parseConfig } from '../../../platform/config/parse-config.js';
import { contentLimits, QueryFaults } from './query-faults.js';
import { parseListQuery as parseWithin } from './parse-list-query.js';

const LIMITS = contentLimits(parseConfig({}, [CONTENT_VARIABLES]));
const parseListQuery = (raw: Record<string, unknown>) => {
  const faults = new QueryFaults(LIMITS);
  const query = parseWithin(raw, faults);
  faults.assertNone();
  return query;
};

function faultsOf(raw: Record<string, unknown>): string[] {
  try {
    parseListQuery(raw);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe('query_invalid');
    return (error.details['errors'] as { field: string; code: string }[]).map(({ field, code }) => `${field} ${code}`);
  }
  return [];
}

const filter = (value: unknown) => ({ filter: JSON.stringify(value) });

describe('the query of a list', () => {
  it('has defaults', () => {
    expect(parseListQuery({})).toMatchObject({ limit: 10, page: 1, cursor: null, count: 'exact', filter: null });
  });

  it('parses every operator; a negative one is the complement of its positive one', () => {
    const read = (condition: unknown) => parseListQuery(filter({ 'a.b': condition })).filter;
    const path = ['a', 'b'];
    const equal = { kind: 'condition', path, operator: 'eq', values: ['x'] };
    expect(read('x')).toEqual(equal);
    expect(read({ $neq: 'x' })).toEqual({ kind: 'not', of: equal });
    const none = { kind: 'condition', path, operator: 'null', values: [] };
    expect(read(null)).toEqual(none);
    expect(read({ $null: true })).toEqual(none);
    expect(read({ $null: false })).toEqual(read({ $neq: null }));
    expect(read({ $nin: [1, null] })).toEqual({
      kind: 'not',
      of: { kind: 'or', of: [{ kind: 'condition', path, operator: 'in', values: [1] }, none] },
    });
  });

  it('parses a selection as a tree', () => {
    const { select } = parseListQuery({ select: 'id,category.name,category.parent.*' });
    expect([...select.names]).toEqual(['id']);
    const category = select.relations.get('category');
    expect([...(category?.names ?? [])]).toEqual(['name']);
    expect(category?.relations.get('parent')?.all).toBe(true);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ where: '1' }, 'where unknown_parameter'],
    [{ limit: ['1', '2'] }, 'limit repeated_parameter'],
    [{ limit: '0' }, 'limit out_of_range'],
    [{ limit: '101' }, 'limit out_of_range'],
    [{ limit: '1e1' }, 'limit out_of_range'],
    [{ page: '-1' }, 'page out_of_range'],
    [{ page: '100002' }, 'page out_of_range'],
    [{ count: 'yes' }, 'count malformed'],
    [{ filter: '{' }, 'filter malformed'],
    [{ filter: '[]' }, 'filter malformed'],
    [filter({ a: { $regex: 'x' } }), 'a.$regex unknown_operator'],
    [filter({ $where: '1' }), 'filter.$where unknown_operator'],
    [filter({ a: { constructor: 1 } }), 'a.constructor unknown_operator'],
    [filter({ a: ['x'] }), 'a.$eq value_invalid'],
    [filter({ a: { $eq: { b: 1 } } }), 'a.$eq value_invalid'],
    [filter({ a: { $gt: null } }), 'a.$gt value_invalid'],
    [filter({ a: { $in: 'x' } }), 'a.$in value_invalid'],
    [filter({ a: 'nul \0' }), 'a.$eq value_invalid'],
    [filter({ a: { $in: Array.from({ length: 501 }, () => 1) } }), 'a.$in too_many'],
    [filter({ 'a.b.c.d.e.f.g': 1 }), 'a.b.c.d.e.f.g too_deep'],
    [{ filter: `{"a":"${'x'.repeat(8_200)}"}` }, 'filter too_long'],
    [filter({ $or: Array.from({ length: 101 }, () => ({ a: 1 })) }), 'a too_many'],
    [{ sort: 'a,b,c,d,e,f,g,h,i' }, 'sort too_many'],
    [{ select: 'a..b' }, 'select malformed'],
    [{ select: Array.from({ length: 26 }, (_, at) => `r${at}.x`).join(',') }, 'select too_many'],
    [{ relations: '{"tags":{"limit":1001}}' }, 'relations.tags.limit out_of_range'],
    [{ relations: '{"tags":{"where":1}}' }, 'relations.tags.where unknown_parameter'],
  ])('rejects %j', (raw, fault) => {
    expect(faultsOf(raw)).toContain(fault);
  });

  it('limits the depth of groups', () => {
    let nested: unknown = { a: 1 };
    for (let level = 0; level < 12; level += 1) nested = { $not: nested };
    expect(faultsOf(filter(nested)).join()).toContain('too_deep');
  });

  it('reports all errors', () => {
    expect(faultsOf({ limit: '0', page: 'x', sort: 'a', what: '1' })).toEqual([
      'what unknown_parameter',
      'limit out_of_range',
      'page out_of_range',
    ]);
  });
});
