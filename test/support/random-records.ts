import fc from 'fast-check';
import { field, relation } from './schema-definitions.js';

/** Texts that PostgreSQL can store: without NUL and lone surrogates. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\r', '\n', '\t', "'", '=', '+', '@', ' ', 'a', '0', '\\') }),
    fc.constantFrom('', 'null', 'NULL', 'true', '0x10', '1e5', '\ufeff', '\\N', '-'),
  )
  .map((value) => value.replaceAll('\0', ''));
const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => value !== null)
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '')) as unknown);

const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: text,
  text,
  json,
  bytes: fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  int: fc.maxSafeInteger(),
  int8: fc.integer({ min: -128, max: 127 }),
  int16: fc.integer({ min: -32_768, max: 32_767 }),
  int32: fc.integer(),
  uint: fc.maxSafeNat(),
  uint8: fc.integer({ min: 0, max: 255 }),
  uint16: fc.integer({ min: 0, max: 65_535 }),
  uint32: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  float32: fc.float({ noNaN: true, noDefaultInfinity: true }),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  float64: fc.double({ noNaN: true, noDefaultInfinity: true }),
  bool: fc.boolean(),
  uuid: fc.uuid(),
  time: fc
    .date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString()),
  enum: fc.constantFrom('a', 'b c', '1'),
};

export interface RandomRecords {
  readonly definition: { readonly name: string; readonly fields: readonly object[] };
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Returns schemas with random fields, and records that link some of the targets.
 *
 * @param targets ids of records of the schema `tag`.
 */
export function randomRecords(name: string, targets: readonly string[]): fc.Arbitrary<RandomRecords> {
  const columns = fc.array(fc.record({ type: fc.constantFrom(...Object.keys(VALUES)), optional: fc.boolean() }), {
    minLength: 1,
    maxLength: 10,
  });
  return columns.chain((types) => {
    const own = types.map(({ type, optional }, at) =>
      field(type, `f${at}`, {
        optional,
        ...(type === 'enum' ? { enums: ['a', 'b c', '1'].map((value) => ({ value })) } : {}),
      }),
    );
    const values = types.map(({ type, optional }, at) => {
      const value = VALUES[type]!;
      return [`f${at}`, optional ? fc.option(value, { nil: null }) : value] as const;
    });
    const fields = [field('int32', 'place'), ...own, relation('tags', 'tag', `of_${name}`, 'm2m', { owner: true })];
    const record = fc.record({
      ...Object.fromEntries(values),
      tags: fc.subarray([...targets]).map((keys) => keys.map((id) => ({ id }))),
    });
    return fc.record({
      definition: fc.constant({ name, namespace: `${name}_rows`, label_field: 'id', fields }),
      records: fc
        .array(record, { minLength: 1, maxLength: 20 })
        .map((all) => all.map((one, place): Record<string, unknown> => ({ place, ...one }))),
    });
  });
}
