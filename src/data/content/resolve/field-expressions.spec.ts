import fc from 'fast-check';
import {
  anyFieldExpressions,
  anyRecord,
  anyRule,
  everyType,
  validExpressions,
} from '../../../../test/support/any-expressions.js';
import { faultsOf, snapshotOf } from '../../../../test/support/schema-definitions.js';
import { applyGetters } from '../answers.js';
import { FOR_GETTERS, type PlannedGetter } from '../plan/query-plan.types.js';
import { renderAmong } from '../render/render-write.js';
import { compiledExpression, computeSetters, keyOf } from './sql-values.js';
import { compileRule, ruleFault } from './rules/compile-rule.js';
import { translateRule } from './rules/translate-rule.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';

const auth = { id: '01890000-0000-7000-8000-000000000001', email: 'a@b.c', username: '', roles: ['editor'] };
const now = new Date('2026-01-02T03:04:05Z');

function linked(json: unknown): LinkedSchema {
  const { thing } = snapshotOf(json).schemas;
  if (thing === undefined) throw new Error('thing is there');
  return thing;
}

function valueField(schema: LinkedSchema, name: string): LinkedValueField {
  const found = schema.fields[name];
  if (found?.kind !== 'value') throw new Error(`${name} has a value`);
  return found;
}

function sound(name: string, member: 'getter' | 'setter', source: string): LinkedSchema | null {
  const json = everyType('thing', new Map([[name, { [member]: source }]]));
  return faultsOf(json).length === 0 ? linked(json) : null;
}

/** Evaluates the expressions as writing and reading a record do. */
function run(schema: LinkedSchema, own: LinkedValueField, record: Record<string, unknown>): void {
  const inputs = new Map(Object.entries(record).map(([name, value]) => [valueField(schema, name), value] as const));
  for (const current of [{}, record]) computeSetters(schema, inputs, current, { auth, now });
  if (own.getter === undefined) return;
  const { name } = own;
  const getter: PlannedGetter = { name, schema: schema.name, expression: own.getter };
  const operand = { kind: 'column', column: '', guard: null } as const;
  const hidden = Object.entries(record).map(([key, value]) => [`${FOR_GETTERS}${key}`, value] as const);
  const columns = hidden.map(([key]) => ({ name: key, type: own.type, operand }));
  const answer = { [name]: record[name], ...Object.fromEntries(hidden) };
  const compile = () => compiledExpression(schema, own, getter.expression.source);
  applyGetters(answer, { columns, relations: [], getters: [getter] }, { auth, now }, compile);
}

describe('an accepted getter or setter', () => {
  test.each([
    ['o_string', 'record.created_at == null ? "a" : "b"'],
    ['o_string', 'record.id == null ? "a" : record.id'],
    ['o_string', 'record.updated_at == null ? "a" : "b"'],
    ['r_string', '[value, record.title][0]'],
    ['r_string', '{"a": value, "b": record.title}["a"]'],
    ['o_string', '[value, record.deleted_at == null ? record.o_string : value][0]'],
    ['r_time', '[value, record.r_time][0]'],
    ['r_int64', '[value, record.r_int8][0]'],
  ])('%s: %s compiles on use', (name, source) => {
    for (const member of ['getter', 'setter'] as const) {
      const schema = sound(name, member, source);
      expect(schema).not.toBeNull();
      if (schema) expect(() => compiledExpression(schema, valueField(schema, name), source)).not.toThrow();
    }
  });

  test('compiles and runs on any record with any empty values', () => {
    let cases = 0;
    let accepted = 0;
    fc.assert(
      fc.property(anyFieldExpressions, anyRecord, (expressions, record) => {
        cases += 1;
        const json = everyType('thing', validExpressions(expressions));
        const schema = linked(json);
        for (const field of Object.values(schema.fields)) {
          if (field.kind !== 'value' || !(field.getter ?? field.setter)) continue;
          accepted += 1;
          for (const values of [record, { ...record, [field.name]: null }, {}]) run(schema, field, values);
        }
      }),
      { numRuns: 25 },
    );
    expect(accepted).toBeGreaterThan(4 * cases);
  });
});

describe('an accepted rule', () => {
  const snapshot = snapshotOf(everyType('thing', new Map()));
  const schema = linked(everyType('thing', new Map()));

  test.each([
    'record.created_at == null',
    'record.id == null',
    '!(record.updated_at == null)',
    'record.created_at < now',
  ])('%s may test whether a value set by the service is empty', (rule) => {
    expect(ruleFault(snapshot, 'content.thing.list', rule)).toBeNull();
  });

  test('becomes a part of a statement', () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyRule, (source) => {
        if (ruleFault(snapshot, 'content.thing.list', source) !== null) return;
        accepted += 1;
        const condition = translateRule(compileRule(schema, source), { snapshot, schema, auth, now });
        expect(renderAmong(schema.table.name, keyOf(schema), [], condition).text).toContain('SELECT');
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(15);
  });
});
