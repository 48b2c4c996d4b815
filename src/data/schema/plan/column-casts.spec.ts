import { applied, field, schema, snapshotOf } from '../../../../test/support/schema-definitions.js';
import type { PlanStep, SchemaPlan } from './plan.types.js';

const post = (...fields: unknown[]) => schema('post', fields, { disable_timestamp: true });
const change = (before: unknown, after: unknown) => applied(snapshotOf(before), { put: [{ json: after }] }).plan;
const step = (plan: SchemaPlan, kind: PlanStep['kind']) => plan.steps.find((candidate) => candidate.kind === kind);

describe('changing types', () => {
  test.each<[string, string, string, string | undefined, boolean]>([
    ['int16', 'int64', '"x"::bigint', undefined, false],
    ['int64', 'int16', '"x"::smallint', '"x" NOT BETWEEN -32768 AND 32767', false],
    ['int32', 'float64', '"x"::double precision', undefined, false],
    ['int32', 'float32', '"x"::real', undefined, true],
    ['float32', 'float64', '"x"::text::double precision', undefined, false],
    ['bool', 'int32', '"x"::int::integer', undefined, false],
    ['int32', 'bool', '"x" <> 0', undefined, true],
    ['string', 'text', '"x"::text', undefined, false],
    ['text', 'string', '"x"::varchar(255)', 'char_length("x") > 255', false],
    ['uuid', 'string', '"x"::text::varchar(255)', undefined, false],
    ['string', 'bool', '"x"::boolean', `"x" NOT IN ('true', 'false')`, false],
    ['string', 'json', 'to_jsonb("x")', undefined, false],
    ['int', 'json', 'to_jsonb("x")', undefined, false],
    ['int64', 'json', 'CASE WHEN "x" > -9007199254740992 AND "x" < 9007199254740992 THEN', undefined, false],
    ['json', 'text', `("x" #>> '{}')::text`, undefined, true],
  ])('%s to %s', (from, to, using, refusing, mayLose) => {
    const plan = change(post(field(from, 'x')), post(field(to, 'x')));
    const retype = step(plan, 'change_type');
    expect(retype?.sql[0]).toContain(` USING ${using}`);
    expect(retype?.losesData).toBe(mayLose);
    const asked = retype?.checks.map(({ countSql }) => countSql.split(' WHERE ')[1]);
    expect(asked).toEqual(refusing === undefined ? [] : [refusing]);
  });

  test.each(['int8', 'uint64', 'float32', 'float64', 'uuid', 'time'])(
    'string to %s checks for invalid and changed values',
    (to) => {
      const retype = step(change(post(field('string', 'x')), post(field(to, 'x'))), 'change_type');
      expect(retype?.checks).toHaveLength(1);
      expect(retype?.lossSql).toContain('IS DISTINCT FROM "x"');
    },
  );

  test.each([
    ['json', 'uuid'],
    ['time', 'int'],
    ['bytes', 'text'],
    ['uuid', 'enum'],
  ])('%s to %s is impossible: the column is archived and recreated', (from, to) => {
    const enums = to === 'enum' ? { enums: [{ value: 'a' }] } : {};
    const plan = change(post(field(from, 'x', { optional: true })), post(field(to, 'x', { optional: true, ...enums })));
    expect(plan.steps.map(({ kind }) => kind).slice(0, 2)).toEqual(['archive_column', 'add_column']);
    expect(plan.losesData).toBe(true);
  });

  test('types with one column type differ in their checks only', () => {
    const plan = change(post(field('int64', 'x')), post(field('uint', 'x')));
    expect(plan.steps.map(({ kind, checks }) => [kind, checks.length])).toEqual([['add_check', 1]]);
  });

  test('an index on a replaced column is recreated', () => {
    const plan = change(post(field('uuid', 'x', { unique: true })), post(field('time', 'x', { unique: true })));
    expect(plan.steps.map(({ kind }) => kind)).toEqual(['drop_index', 'archive_column', 'add_column', 'create_index']);
  });
});
