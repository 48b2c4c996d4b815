import { faultsOf, field, relation, schema, snapshotOf } from '../../../test/support/schema-definitions.js';
import { ExpressionCompiler, ExpressionError } from './compile-expression.js';
import { linkedExpressionTypes } from './expression-values.js';

const record = {
  title: 'string',
  summary: 'dyn<string>',
  views: 'int',
  price: 'double',
  at: 'google.protobuf.Timestamp',
  data: 'bytes',
  meta: 'dyn',
};
const compiler = new ExpressionCompiler({ value: 'string', record });
const now = new Date('2026-01-02T03:04:05Z');
const auth = { id: '7', email: 'a@b.c', username: 'ann', roles: ['editor'] };

function compile(source: string) {
  const outcome = compiler.compile(source);
  if (!outcome.ok) throw new Error(outcome.fault.message);
  return outcome.expression;
}

function refused(source: string) {
  const outcome = compiler.compile(source);
  return outcome.ok ? undefined : outcome.fault;
}

describe('an expression', () => {
  test.each<[string, unknown]>([
    ['value', 'Hello'],
    ['slug(record.title)', 'ete-a-rome'],
    ['lower(value) + upper(trim("  x "))', 'helloX'],
    ['hash("")', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['record.views + 1', 42],
    ['record.views * 9007199254740993', '369295169444380713'],
    ['record.summary == null ? "none" : record.summary', 'none'],
    ['record.meta.list.exists(x, x == "b")', true],
    ['"editor" in auth.roles && auth.id == "7"', true],
    ['now', '2026-01-02T03:04:05.000Z'],
    ['record.at < now', true],
    ['{"a": [record.views, 2]}', { a: [41, 2] }],
    ['record["title"].size()', 10],
    ['record.data', 'AQID'],
    ['record.price > 1.5 ? 2u : 3u', 3],
  ])('%s is %j', (source, result) => {
    const values = {
      title: 'Été à Rome',
      summary: null,
      views: 41,
      price: 1.25,
      at: '2026-01-01T00:00:00Z',
      data: 'AQID',
      meta: { list: ['a', 'b'] },
    };
    expect(compile(source).evaluate({ value: 'Hello', record: values, auth, now })).toEqual(result);
  });

  test('creates a new UUID each time', () => {
    const expression = compile('uuid()');
    expect(expression.evaluate({ now })).not.toBe(expression.evaluate({ now }));
  });

  test.each<[string, boolean, string[]]>([
    ['slug(record.title)', false, ['title']],
    ['value + record["title"] + record.title', true, ['title']],
    ['record.meta.deep.er', false, ['meta']],
    ['dyn(record) == null', false, ['*']],
    ['[1].exists(i, record.views == i)', false, ['views']],
  ])('%s uses the value: %s, reads %j', (source, usesValue, reads) => {
    expect(compile(source)).toMatchObject({ usesValue, reads });
  });

  test('sees a guest as null', () => {
    expect(compile('auth.id == "" && auth.roles.size() == 0').evaluate({ now })).toBe(true);
  });

  test('fails with its own error if the values do not fit', () => {
    expect(() => compile('record.title').evaluate({ record: { title: null }, now })).toThrow(ExpressionError);
    expect(() => compile('record.meta.nope').evaluate({ record: { meta: {} }, now })).toThrow(ExpressionError);
  });

  test('cannot access JavaScript', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(() => compile(`record.meta.${name}`).evaluate({ record: { meta: {} }, now })).toThrow(ExpressionError);
    }
  });

  test('is plain data for translation', () => {
    expect(compile('record.views > 1').tree).toMatchObject({
      kind: 'call',
      callee: '>',
      args: [
        { kind: 'member', name: 'views', object: { kind: 'name', name: 'record' } },
        { kind: 'literal', value: 1n },
      ],
    });
  });
});

describe('a rejected expression reports reason and position', () => {
  test.each<[string, string, number, number]>([
    ['value +', 'Unexpected token', 7, 7],
    ['slug(record.titel)', 'No such key: titel', 12, 17],
    ['value + 1', 'no such overload', 0, 9],
    ['nope', 'Unknown variable', 0, 4],
    ['lower(value.matches("(a+)+$") ? "x" : "y")', 'regular expressions', 6, 29],
    ['cel.bind(a, value + value, a + a)', 'cel.bind', 0, 33],
    ['[1].map(a, [2].map(b, a + b)).size()', 'inside another loop', 11, 28],
    ['value.split("").map(c, c)', 'a field or a list', 0, 25],
  ])('%s', (source, message, start, end) => {
    expect(refused(source)).toMatchObject({ message: expect.stringContaining(message), range: { start, end } });
  });

  test.each([
    ['too many nodes', Array.from({ length: 400 }, () => '1').join('+')],
    ['too deep', `${'('.repeat(60)}1${')'.repeat(60)}`],
    ['too long', `"${'x'.repeat(5_000)}"`],
    ['too long a list', `[${Array.from({ length: 300 }, () => '1').join(',')}]`],
    ['nothing', ''],
    ['control characters', '\u0000'],
  ])('%s', (_, source) => {
    const fault = refused(source);
    expect(fault?.range.end).toBeLessThanOrEqual(source.length);
  });
});

describe('setters and getters of a field', () => {
  const post = (...fields: unknown[]) => schema('post', fields);

  test.each([
    ['string', 'record.x + 1'],
    ['string', '1'],
    ['int', '"1"'],
    ['int', '1.5'],
    ['bool', 'null'],
    ['time', '"now"'],
    ['string', 'record.secret'],
  ])('%s cannot be %s', (type, setter) => {
    const faults = faultsOf(post(field(type, 'x', { setter, getter: setter })));
    expect(faults.map(({ code }) => code)).toEqual(['field.setter.compile_error', 'field.getter.compile_error']);
    expect(faults[0]?.range).toBeDefined();
  });

  test.each([
    ['float64', 'record.views + 1'],
    ['json', '{"a": 1}'],
    ['time', 'now'],
    ['int8', 'value'],
    ['uuid', 'uuid()'],
    ['string', 'dyn(1)'],
  ])('%s can be %s', (type, setter) => {
    expect(faultsOf(post(field('int', 'views'), field(type, 'x', { setter })))).toEqual([]);
  });

  test('of a relation or a file are reported with all their errors', () => {
    const wrong = { setter: 'value +', getter: 'record.titel' };
    const faults = faultsOf([
      schema(
        'post',
        [field('file', 'cover', wrong), relation('tag', 'tag', 'posts', 'm2o')].map((one) => ({ ...one, ...wrong })),
      ),
      schema('tag', [relation('posts', 'post', 'tag', 'o2m', { owner: true })]),
    ]);
    const reported = faults.map(({ code, field: name }) => `${name} ${code}`);
    for (const name of ['cover', 'tag'])
      for (const member of ['setter', 'getter'])
        expect(reported).toEqual(
          expect.arrayContaining([`${name} field.${member}.not_allowed`, `${name} field.${member}.compile_error`]),
        );
    const broken = faults.find(({ code }) => code === 'field.getter.compile_error');
    expect(broken).toMatchObject({
      message: expect.stringContaining('No such key: titel'),
      range: { start: 7, end: 12 },
    });
    const sound = schema('post', [field('file', 'cover', { getter: 'record.title' })]);
    expect(faultsOf(sound).map(({ code }) => code)).toEqual(['field.getter.not_allowed']);
  });

  test('an optional field can be compared with null', () => {
    const setter = 'value == null ? "x" : value';
    expect(faultsOf(post(field('string', 'x', { optional: true, setter })))).toEqual([]);
    expect(faultsOf(post(field('string', 'x', { setter })))).toHaveLength(1);
  });

  test('a field that cannot be read is not reported as missing', () => {
    const faults = faultsOf(post(field('strin', 'a'), field('string', 'b', { setter: 'record.a' })));
    expect(faults.map(({ code }) => code)).toEqual(['field.type.invalid']);
  });

  test('the password is not part of a record', () => {
    const json = { name: 'user', fields: [field('string', 'x', { optional: true, setter: 'record.password' })] };
    expect(faultsOf(json)[0]).toMatchObject({ code: 'field.setter.compile_error', range: { start: 7, end: 15 } });
  });

  test('are stored with the fields they read', () => {
    const linked = snapshotOf(post(field('string', 'slug', { setter: 'slug(record.title)' }))).schemas['post'];
    expect(linked?.fields['slug']).toMatchObject({
      setter: { usesValue: false, reads: ['title'], resultType: 'string' },
    });
  });
});

describe('the variables of a linked schema', () => {
  test('are the readable fields, nullable if they may be empty', () => {
    const { user } = snapshotOf([]).schemas;
    if (!user) throw new Error('user is always there');
    const types = linkedExpressionTypes(user);
    expect(types.record).toMatchObject({ email: 'string', username: 'dyn<string>', roles: 'dyn' });
    expect(types.record).not.toHaveProperty('password');
    const rule = new ExpressionCompiler(types);
    expect(rule.compile('record.id == auth.id')).toMatchObject({ ok: true, expression: { resultType: 'bool' } });
    expect(rule.compile('value == "x"')).toMatchObject({ ok: false, fault: { range: { start: 0, end: 5 } } });
  });
});
