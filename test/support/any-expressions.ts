import fc from 'fast-check';
import { FIELD_TYPE_NAMES } from '../../src/data/model/field-types.js';
import { faultsOf, field, schema } from './schema-definitions.js';

type Json = Record<string, unknown>;

/** One required (`r_…`) and one optional (`o_…`) field per type, plus the system fields. */
const TYPES = FIELD_TYPE_NAMES.filter((type) => type !== 'relation' && type !== 'file');
const NAMES = [
  'title',
  ...TYPES.flatMap((type) => [`r_${type}`, `o_${type}`]),
  'id',
  'created_at',
  'updated_at',
  'deleted_at',
];
/** Fields of {@link everyType} that may have expressions. */
const EXPRESSION_FIELDS = TYPES.flatMap((type) => [`r_${type}`, `o_${type}`]);

const LITERALS = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '9223372036854775807',
  '1.5',
  '1e300',
  '2u',
  '18446744073709551615u',
  '-1e300',
  '""',
  '"a"',
  'b"a"',
  'now',
  'auth.id',
  'auth.email',
  'auth.roles',
  'timestamp("2026-01-02T03:04:05Z")',
  'timestamp("0001-01-01T00:00:00Z")',
  'timestamp("+200000-01-01T00:00:00Z")',
  'timestamp("-000001-01-01T00:00:00Z")',
  'uuid()',
];

/** Returns random expressions over the fields of {@link everyType}. Many of them do not compile. */
function expression(variables: readonly string[]): fc.Arbitrary<string> {
  return fc.letrec<{ term: string }>((tie) => {
    const term = tie('term');
    const leaf = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...variables) },
      { weight: 1, arbitrary: fc.constantFrom(...LITERALS) },
    );
    const two = (form: (a: string, b: string) => string) => fc.tuple(term, term).map(([a, b]) => form(a, b));
    return {
      term: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        { weight: 3, arbitrary: leaf },
        leaf.map((a) => `(${a} == null ? "none" : "some")`),
        fc.tuple(leaf, leaf).map(([a, b]) => `(${a} == null ? ${b} : ${a})`),
        fc.tuple(leaf, leaf).map(([a, b]) => `[${a}, ${b}][0]`),
        fc.tuple(leaf, leaf).map(([a, b]) => `{"a": ${a}, "b": ${b}}["a"]`),
        fc.tuple(leaf, leaf).map(([a, b]) => `[${a}, ${b}].exists(x, x == ${a})`),
        fc
          .tuple(fc.constantFrom('==', '!=', '<', '>=', '+', '-', '*', '/', '%', '&&', '||', 'in'), term, term)
          .map(([operator, a, b]) => `(${a} ${operator} ${b})`),
        fc
          .tuple(
            fc.constantFrom('string', 'int', 'double', 'size', 'lower', 'slug', 'hash', 'dyn', 'bool', 'has'),
            term,
          )
          .map(([name, a]) => `${name}(${a})`),
        two((a, b) => `${a}.startsWith(${b})`),
        fc.tuple(term, term, term).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
        term.map((a) => `!(${a})`),
      ),
    };
  }).term;
}

const members = NAMES.map((name) => `record.${name}`);

/** A getter and a setter for every field; each may read any field. */
export const anyFieldExpressions: fc.Arbitrary<ReadonlyMap<string, Json>> = fc
  .array(expression([...members, 'value', 'value', 'value']), {
    minLength: 2 * EXPRESSION_FIELDS.length,
    maxLength: 2 * EXPRESSION_FIELDS.length,
  })
  .map((sources) => {
    const named = EXPRESSION_FIELDS.map((name, at): [string, Json] => {
      return [name, { setter: sources[2 * at], getter: sources[2 * at + 1] }];
    });
    return new Map(named);
  });

export function validExpressions(expressions: ReadonlyMap<string, Json>): ReadonlyMap<string, Json> {
  const refused = new Set(faultsOf(everyType('thing', expressions)).map(({ field: name, code }) => `${name} ${code}`));
  return new Map(
    [...expressions].map(([name, members]): [string, Json] => {
      const kept = Object.entries(members).filter(([member]) => !refused.has(`${name} field.${member}.compile_error`));
      return [name, Object.fromEntries(kept)];
    }),
  );
}

/** A rule. Its type is not always boolean. */
export const anyRule = fc.oneof(
  expression(members),
  fc
    .tuple(fc.constantFrom(...members), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), fc.constantFrom(...LITERALS))
    .map((parts) => parts.join(' ')),
  fc.tuple(fc.constantFrom(...members), fc.constantFrom(...members)).map((parts) => parts.join(' == ')),
);

export function everyType(name: string, expressions: ReadonlyMap<string, Json>): Json {
  const fields = TYPES.flatMap((type) =>
    ['r', 'o'].map((kind) => {
      const more = type === 'enum' ? { enums: [{ value: 'a' }, { value: 'b' }] } : {};
      const named = `${kind}_${type}`;
      return field(type, named, { optional: kind === 'o', ...more, ...expressions.get(named) });
    }),
  );
  return schema(name, fields);
}

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  bool: [true, false],
  time: ['2026-01-02T03:04:05Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', 'now'],
  json: [{ a: [1, null] }, [], 'text', 7, false],
  uuid: ['01890000-0000-7000-8000-000000000000'],
  bytes: ['', 'AQID'],
  enum: ['a', 'b'],
  string: ['', 'a', 'Ümläut'],
  text: ['', 'a b'],
  int64: ['9223372036854775807', -1],
  uint64: ['18446744073709551615', 0],
  float32: [1.5, -3.4e38],
  float64: [0, 1.7e308],
};

export const anyRecord: fc.Arbitrary<Json> = fc
  .tuple(
    ...TYPES.flatMap((type) => {
      const value = fc.constantFrom(...(VALUES[type] ?? [0, 1, 100]));
      return [value, fc.option(value)];
    }),
  )
  .map((values) => ({ title: 'T', ...Object.fromEntries(EXPRESSION_FIELDS.map((name, at) => [name, values[at]])) }));
