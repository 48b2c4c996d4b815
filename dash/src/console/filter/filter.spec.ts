import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Filter, type Json, OPERATORS, QUANTIFIERS, readFilter, writeFilter } from './filter-tree.js';
import { parseFilterText } from './parse-filter-text.js';
import { printFilter } from './print-filter.js';

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  fc.boolean(),
  fc.constant(null),
);
const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('status', 'views', 'author.name', 'tags', 'is', 'in') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('and', 'not', 'search', 'everything', '__proto__', 'a`b\\', 'ein Wort', '1x'),
  },
  { weight: 1, arbitrary: fc.string() },
);
const { filter } = fc.letrec<{ filter: Filter; field: Json; member: readonly [string, Json] }>((tie) => ({
  field: fc.oneof(
    { weight: 4, arbitrary: scalar as fc.Arbitrary<Json> },
    {
      weight: 4,
      arbitrary: fc.dictionary(fc.constantFrom(...OPERATORS), fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), {
        maxKeys: 3,
      }),
    },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...QUANTIFIERS), tie('filter'), { maxKeys: 2 }) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json> },
  ),
  member: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(path, tie('field')),
    fc.tuple(fc.constantFrom('$and', '$or'), fc.array(tie('filter'), { maxLength: 3 })),
    fc.tuple(fc.constant('$not'), tie('filter')),
    fc.tuple(fc.constant('$search'), fc.string()),
    fc.tuple(
      fc.constantFrom('$and', '$not', '$search', '$some', '$new'),
      fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
    ),
  ),
  filter: fc
    .array(tie('member'), { maxLength: 3, size: 'small' })
    .map((members) => Object.fromEntries(members)) as fc.Arbitrary<Filter>,
}));

const json = filter
  .map((item) => JSON.parse(JSON.stringify(item)) as Filter)
  .filter((item) => !JSON.stringify(item).includes('-0'));

describe('a filter', () => {
  it('round-trips through the filter tree', () => {
    fc.assert(
      fc.property(json, (item) => expect(writeFilter(readFilter(item))).toEqual(item)),
      { numRuns: 1_000 },
    );
  });

  it('round-trips through text', () => {
    fc.assert(
      fc.property(json, (item) => {
        const text = printFilter(item);
        expect({ text, ...parseFilterText(text) }).toEqual({ text, ok: true, filter: item });
      }),
      { numRuns: 3_000 },
    );
  });

  it('of the documentation is fully supported', () => {
    const page = readFileSync(join(__dirname, '../../../../docs/guides/data/reading-records.md'), 'utf8');
    const shown = [...page.matchAll(/`(\{"[^`]*\})`/g)].map(([, text]) => text!.replaceAll(/\{…\}|, …/g, '{}'));
    const filters = shown.flatMap((text) => {
      try {
        return [JSON.parse(text) as Filter];
      } catch {
        return [];
      }
    });
    expect(filters.length).toBeGreaterThan(2);
    for (const one of filters) expect(parseFilterText(printFilter(one))).toEqual({ ok: true, filter: one });
  });

  it.each<[string, Filter]>([
    ['status = published', { status: 'published' }],
    ['status = published and views > 10', { status: 'published', views: { $gt: 10 } }],
    ['views > 1 and views < 9', { $and: [{ views: { $gt: 1 } }, { views: { $lt: 9 } }] }],
    ['views (> 1, < 9)', { views: { $gt: 1, $lt: 9 } }],
    ['a = 1 or b = 2 and c = 3', { $or: [{ a: 1 }, { b: 2, c: 3 }] }],
    ['(a = 1 or b = 2) and c = 3', { $or: [{ a: 1 }, { b: 2 }], c: 3 }],
    ['(a = 1 or b = 2) and (c = 3 or d = 4)', { $and: [{ $or: [{ a: 1 }, { b: 2 }] }, { $or: [{ c: 3 }, { d: 4 }] }] }],
    ['not status = draft', { $not: { status: 'draft' } }],
    ['author is empty and cover is not empty', { author: { $null: true }, cover: { $null: false } }],
    ['tags some (name = x and color = red)', { tags: { $some: { name: 'x', color: 'red' } } }],
    ['status in [draft, "new one"]', { status: { $in: ['draft', 'new one'] } }],
    ['published_at >= 2026-01-01', { published_at: { $gte: '2026-01-01' } }],
    ['big = 12345678901234567890', { big: '12345678901234567890' }],
    ['search "slow boats"', { $search: 'slow boats' }],
    ['title not contains "or"', { title: { $notcontains: 'or' } }],
    ['', {}],
  ])('is parsed from %p', (text, expected) => {
    expect(parseFilterText(text)).toEqual({ ok: true, filter: expected });
  });

  it.each([
    ['status', 'operator_expected', 6],
    ['status =', 'value_expected', 8],
    ['status = a b', 'unreadable', 11],
    ['(status = a', 'bracket_expected', 11],
    ['and', 'condition_expected', 0],
    ['a = 1 and', 'condition_expected', 9],
    ['a is 5', 'value_expected', 5],
    ['tags some name = x', 'bracket_expected', 10],
    ['json(x)', 'value_expected', 5],
    ['a = "x', 'value_expected', 4],
  ])('reports the position of a syntax error: %p', (text, fault, at) => {
    expect(parseFilterText(text)).toEqual({ ok: false, fault, at });
  });

  it('never throws for arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseFilterText(text)));
    const pieces = fc.array(fc.constantFrom('a', '=', '(', ')', 'or', 'not', '"x"', '[', ',', 'json(', '`', 'some'), {
      maxLength: 12,
    });
    fc.assert(fc.property(pieces, (tokens) => void parseFilterText(tokens.join(' '))));
  });
});
