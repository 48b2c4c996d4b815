import { ExpressionCompiler, ExpressionError } from './compile-expression.js';
import { type DefinedFunction, defineFunction, installFunctions } from './own-functions.js';

const reports: [name: string, message: string][] = [];
const report = (name: string, error: unknown): void => void reports.push([name, (error as Error).message]);
const now = new Date('2026-01-02T03:04:05Z');

const FUNCTIONS = [
  defineFunction('acme_rank(int): int', (views) => Math.floor(views / 10)),
  defineFunction('acme_join(list<string>, string): string', (words, by) => words.join(by)),
  defineFunction('acme_tomorrow(timestamp): timestamp', (at) => new Date(at.getTime() + 86_400_000)),
  defineFunction('acme_half(double): double', (value) => value / 2),
  defineFunction('acme_even(int): bool', (value) => value % 2 === 0),
  defineFunction('acme_even(string): bool', (value) => value.length % 2 === 0),
  defineFunction('acme_parts(string): list<string>', (text) => text.split('-')),
  defineFunction('acme_fails(string): string', (text) => {
    throw new Error(`the secret of ${text}`);
  }),
  defineFunction('acme_wrong(int): int', () => 'seven' as never),
  defineFunction('acme_long(int): string', (length) => 'x'.repeat(length)),
  defineFunction('acme_bad_text(int): string', () => '\ud800'),
  defineFunction('acme_promise(int): int', (() => Promise.resolve(1)) as never),
  defineFunction('acme_meddle(list<int>): int', (list) => (list as number[]).push(1)),
];

function run(source: string): unknown {
  const record = { views: 'int', title: 'string', at: 'google.protobuf.Timestamp' };
  const outcome = new ExpressionCompiler({ record }).compile(source);
  if (!outcome.ok) throw new TypeError(outcome.fault.message);
  const values = { views: 42, title: 'soup', at: '2026-01-01T00:00:00Z' };
  return outcome.expression.evaluate({ record: values, now });
}

describe('custom expression functions', () => {
  beforeAll(() => installFunctions(FUNCTIONS, report));

  test.each<[string, unknown]>([
    ['acme_rank(record.views) + 1', 5],
    ['acme_join(["a", record.title], "-")', 'a-soup'],
    ['acme_tomorrow(record.at)', '2026-01-02T00:00:00.000Z'],
    ['acme_half(3.0)', 1.5],
    ['acme_even(3) || acme_even("ab")', true],
    ['acme_parts("a-b")[1]', 'b'],
  ])('%s is %j', (source, result) => expect(run(source)).toEqual(result));

  test.each([
    ['acme_rank("x")', 'found no matching overload'],
    ['acme_rank()', 'found no matching overload'],
    ['acme_nothing(1)', 'found no matching overload'],
    ['acme_rank(1) + "x"', 'no such overload'],
  ])('%s does not compile', (source, reason) => expect(() => run(source)).toThrow(reason));

  test.each([
    ['acme_fails("x")', 'the secret of x'],
    ['acme_wrong(1)', 'not a whole number'],
    ['acme_long(70000)', 'not a text of at most'],
    ['acme_bad_text(1)', 'not a text of at most'],
    ['acme_promise(1)', 'not a whole number'],
    ['acme_rank(9007199254740993)', 'not a whole number below'],
    ['acme_meddle([1])', 'not extensible'],
  ])('%s fails, is only logged, and not repeatedly', (source, reason) => {
    reports.length = 0;
    expect(() => run(source)).toThrow(ExpressionError);
    expect(() => run(source)).not.toThrow(reason);
    expect(reports).toEqual([[source.split('(')[0], expect.stringContaining(reason)]]);
  });
});

describe('invalid functions', () => {
  const one = (signature: string, body: unknown = () => 1): DefinedFunction =>
    defineFunction(signature as never, body as never);

  test.each<[DefinedFunction[], string]>([
    [[{ signature: 'acme_a(): int' }], 'functions contains an entry that is not a result of defineFunction().'],
    [[one('rank(int): int')], 'The function "rank(int): int" must have a form such as acme_rank(int, string): int'],
    [[one('acme_rank(int)')], 'must have a form such as'],
    [[one('acme_rank (int): int')], 'must have a form such as'],
    [[one('string.acme_rank(int): int')], 'must have a form such as'],
    [
      [one('acme_a(number): int')],
      'The function acme_a has the type number: use string, int, double, bool, timestamp, or list<…> of them.',
    ],
    [[one('acme_a(int,int): int')], 'The function acme_a has the type int,int: use'],
    [[one('acme_a(list<>): int')], 'The function acme_a has the type list<>: use'],
    [[one('acme_a(constructor): int')], 'The function acme_a has the type constructor: use'],
    [
      [one('acme_b(int): int', async () => 1)],
      'The function acme_b must be synchronous: neither async nor a generator.',
    ],
    [
      [
        one('acme_b(int): int', function* () {
          yield 1;
        }),
      ],
      'must be synchronous',
    ],
    [[one('acme_b(int): int', 7)], 'The function acme_b must have a function as its run option.'],
    [
      [one('acme_b(int): int', (a: number, b: number) => a + b)],
      'The function acme_b has 2 parameters, and its signature lists 1.',
    ],
    [
      [one(`acme_b(${Array.from({ length: 17 }, () => 'int').join(', ')}): int`)],
      'has more than 16 arguments. Use a list instead.',
    ],
    [
      [one('acme_twice(int): int'), one('acme_twice(int): string')],
      'Two functions have the signature acme_twice(int). Rename one of them.',
    ],
  ])('%j', (functions, message) => expect(() => installFunctions(functions, report)).toThrow(message));

  test('do not compile with values of other types', () => {
    // @ts-expect-error a string is not an int
    const wrong = defineFunction('acme_c(int): int', (value) => String(value));
    expect(wrong.signature).toBe('acme_c(int): int');
    // @ts-expect-error the argument is a text
    defineFunction('acme_c(string): int', (value: number) => value);
    // @ts-expect-error there is no such type
    defineFunction('acme_c(number): int', (value: number) => value);
    // @ts-expect-error a result is missing
    defineFunction('acme_c(int)', () => 1);
  });
});
