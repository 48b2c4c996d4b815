import fc from 'fast-check';
import { ExpressionCompiler } from '../../../src/data/expressions/compile-expression.js';
import { linkedExpressionTypes } from '../../../src/data/expressions/expression-values.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { ContentContexts } from '../../../src/data/content/content-context.service.js';
import { compileRule } from '../../../src/data/content/resolve/rules/compile-rule.js';
import { RuleRefused } from '../../../src/data/content/resolve/rules/rule-terms.js';
import { translateRule } from '../../../src/data/content/resolve/rules/translate-rule.js';
import { ALWAYS, type Condition } from '../../../src/data/content/resolve/conditions.js';
import { FieldResolver } from '../../../src/data/content/resolve/field-resolver.js';
import { FilterResolver } from '../../../src/data/content/resolve/resolve-query.js';
import { parseFilter } from '../../../src/data/content/request/parse-filter.js';
import { QueryFaults } from '../../../src/data/content/request/query-faults.js';
import type { LinkedSchema } from '../../../src/data/model/schema-model.types.js';
import { makeMagazine } from '../../support/content-fixture.js';
import { foundBy } from '../../support/found-by.js';
import { useTestApp } from '../../support/test-app.js';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly body: string | null;
  readonly views: number;
  readonly score: number | null;
  readonly featured: boolean | null;
}

const TEXTS = ['a', 'A', 'b', '', 'a%', '_a', 'ä', '\\', "'", 'a b'];
const NUMBERS = [-1, 0, 1, 2, 3];
const rows: Row[] = Array.from({ length: 40 }, (_, at) => ({
  id: `00000000-0000-7000-8000-0000000000${String(10 + at)}`,
  title: TEXTS[at % TEXTS.length] ?? '',
  body: at % 3 === 0 ? null : (TEXTS[(at * 7) % TEXTS.length] ?? ''),
  views: NUMBERS[at % NUMBERS.length] ?? 0,
  score: at % 4 === 0 ? null : (NUMBERS[(at * 3) % NUMBERS.length] ?? 0) / 2,
  featured: at % 5 === 0 ? null : at % 2 === 0,
}));

const me = { id: rows[3]?.id ?? '', email: 'a', username: '', roles: ['editor'] };
const text = fc.constantFrom(...TEXTS).map((value) => JSON.stringify(value));
const textField = fc.constantFrom('record.title', 'record.body');
const number = fc.constantFrom(...NUMBERS);
const order = fc.constantFrom('<', '<=', '>', '>=', '==', '!=');

const ruleAtom = fc.oneof(
  fc.tuple(textField, order, text).map((parts) => parts.join(' ')),
  fc.tuple(text, order, textField).map((parts) => parts.join(' ')),
  fc.tuple(fc.constant('record.views'), order, number).map((parts) => parts.join(' ')),
  fc
    .tuple(
      fc.constant('record.score'),
      order,
      number.map((value) => `${value}.5`),
    )
    .map((parts) => parts.join(' ')),
  fc
    .tuple(textField, fc.constantFrom('startsWith', 'endsWith', 'contains'), text)
    .map(([a, f, b]) => `${a}.${f}(${b})`),
  fc.tuple(textField, fc.array(text, { maxLength: 3 })).map(([a, list]) => `${a} in [${list.join(', ')}]`),
  fc.tuple(fc.constantFrom('==', '!='), textField).map(([is, a]) => `${a} ${is} null`),
  fc.constantFrom('record.title == record.body', 'record.title != record.body', 'record.featured', '!record.featured'),
  fc.constantFrom(
    'record.id == auth.id',
    "'editor' in auth.roles",
    "'x' in auth.roles",
    'auth.email == record.title',
    'true',
  ),
);
const rule: fc.Arbitrary<string> = fc.letrec<{ rule: string }>((tie) => ({
  rule: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    ruleAtom,
    fc.tuple(tie('rule'), fc.constantFrom('&&', '||'), tie('rule')).map(([a, is, b]) => `(${a}) ${is} (${b})`),
    tie('rule').map((inner) => `!(${inner})`),
  ),
})).rule;

type Filter = Record<string, unknown>;
const comparison = fc.constantFrom('$eq', '$neq', '$gt', '$gte', '$lt', '$lte');
const filterAtom: fc.Arbitrary<Filter> = fc.oneof(
  fc
    .tuple(fc.constantFrom('views', 'score'), comparison, number)
    .map(([name, is, value]) => ({ [name]: { [is]: value } })),
  fc
    .tuple(
      fc.constantFrom('title', 'body'),
      fc.constantFrom('$eq', '$neq', '$contains', '$notcontains'),
      fc.constantFrom(...TEXTS),
    )
    .map(([name, is, value]) => ({ [name]: { [is]: value } })),
  fc
    .tuple(fc.constantFrom('body', 'score', 'featured'), fc.constantFrom('$eq', '$neq'))
    .map(([name, is]) => ({ [name]: { [is]: null } })),
  fc
    .tuple(fc.constantFrom('$in', '$nin'), fc.array(fc.option(number), { maxLength: 3 }))
    .map(([is, values]) => ({ score: { [is]: values } })),
  fc.constantFrom<Filter>({ featured: true }, { featured: { $neq: true } }, {}),
);
const filter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    filterAtom,
    fc
      .tuple(fc.constantFrom('$and', '$or'), fc.array(tie('filter'), { maxLength: 3 }))
      .map(([is, of]) => ({ [is]: of })),
    tie('filter').map((of) => ({ $not: of })),
  ),
})).filter;

function matches(node: Filter, row: Row): boolean {
  return Object.entries(node).every(([name, value]) => {
    if (name === '$and') return (value as Filter[]).every((child) => matches(child, row));
    if (name === '$or') return (value as Filter[]).some((child) => matches(child, row));
    if (name === '$not') return !matches(value as Filter, row);
    const conditions = typeof value === 'object' && value !== null ? Object.entries(value) : [['$eq', value] as const];
    return conditions.every(([is, operand]) => holds(is, row[name as keyof Row], operand));
  });
}

function holds(operator: string, value: Row[keyof Row], operand: unknown): boolean {
  if (operator === '$neq') return !holds('$eq', value, operand);
  if (operator === '$nin') return !holds('$in', value, operand);
  if (operator === '$notcontains') return !holds('$contains', value, operand);
  if (operator === '$eq') return value === operand;
  if (operator === '$in') return (operand as unknown[]).includes(value);
  if (value === null) return false;
  if (operator === '$contains') return String(value).includes(String(operand));
  const [left, right] = [Number(value), Number(operand)];
  return operator === '$gt'
    ? left > right
    : operator === '$gte'
      ? left >= right
      : operator === '$lt'
        ? left < right
        : left <= right;
}

describe('SQL compared with its source languages', () => {
  const world = useTestApp();
  let schema: LinkedSchema;
  const found = (condition: Condition) => foundBy(world.app, schema.table.name, condition);

  beforeAll(async () => {
    await makeMagazine(world.app);
    schema = world.app.get(SchemaSnapshots).current.schemas['post'] as LinkedSchema;
    for (const { id, title, body, views, score, featured } of rows) {
      await world.app.sql(
        'INSERT INTO posts (id, title, body, views, score, featured) VALUES ($1, $2, $3, $4, $5, $6)',
        [id, title, body, views, score, featured],
      );
    }
  });

  it('a rule matches exactly the records that CEL matches', async () => {
    const snapshot = world.app.get(SchemaSnapshots).current;
    const compiler = new ExpressionCompiler(linkedExpressionTypes(schema));
    const now = new Date(0);
    let rules = 0;
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(rule, async (source) => {
        rules += 1;
        const outcome = compiler.compile(source);
        if (!outcome.ok) return;
        let condition: Condition;
        try {
          condition = translateRule(compileRule(schema, source), { snapshot, schema, auth: me, now });
        } catch (error) {
          if (error instanceof RuleRefused) return;
          throw error;
        }
        const byCel = rows.filter((record) => {
          try {
            return outcome.expression.evaluate({ record: { ...record }, auth: me, now }) === true;
          } catch {
            return false;
          }
        });
        compared += 1;
        expect(await found(condition)).toEqual(byCel.map(({ id }) => id));
      }),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(rules / 3);
  });

  it('a filter matches exactly its records', async () => {
    const everything = new FieldResolver(world.app.get(SchemaSnapshots).current, () => ({
      grants: [{ rule: ALWAYS, read: null, write: null }],
      root: true,
    }));
    await fc.assert(
      fc.asyncProperty(filter, async (node) => {
        const faults = new QueryFaults(world.app.get(ContentContexts).limits);
        const parsed = parseFilter(JSON.stringify(node), 'filter', faults);
        const condition = new FilterResolver(everything, faults).resolve(parsed, schema, 'list');
        faults.assertNone();
        expect(await found(condition)).toEqual(rows.filter((row) => matches(node, row)).map(({ id }) => id));
      }),
      { numRuns: 300 },
    );
  });
});
