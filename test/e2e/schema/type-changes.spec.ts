import fc from 'fast-check';
import { FIELD_TYPE_NAMES, fieldType } from '../../../src/data/model/field-types.js';
import { valueMismatch } from '../../../src/data/schema/schema.public.js';
import type { FieldType, JsonValue } from '../../../src/kernel/schema-definition.types.js';
import { field, schema } from '../../support/schema-definitions.js';
import { asAdmin } from '../../support/schema-world.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Verdict = 'kept' | 'changed' | 'invalid';
interface Step {
  readonly kind: string;
  readonly field?: string;
  readonly rows?: number;
  readonly problems: readonly { readonly kind: string; readonly count: number }[];
}

const TYPES = FIELD_TYPE_NAMES.filter((type) => fieldType(type).sql !== '');
const ENUMS = ['true', '5', '-1.5', '1e+21', '2026-02-28T10:00:00.000Z', '01890a5d-ac96-774b-bcce-b302099a8057', 'a'];
const TEXTS = [
  ...ENUMS,
  ...[
    '',
    ' ',
    ' 5 ',
    '5.0',
    '+5',
    '007',
    '-0',
    '1e3',
    '1.50',
    '0.1',
    '16777217',
    '9007199254740993',
    '18446744073709551616',
  ],
  ...[
    'NaN',
    'Infinity',
    '-Infinity',
    'infinity',
    'today',
    'now',
    '03/04/2024',
    '0044-03-15 BC',
    '2026-02-28',
    '2026-02-30',
  ],
  ...['2026-02-28T10:00:00Z', '2026-02-28T10:00:00.1239Z', '9999-12-31T23:59:59.9999Z', '0001-01-01T00:00:00+05:00'],
  ...[
    '2026-02-28 10:00',
    '2026-02-28T23:59:60Z',
    '2026-02-28T24:00:00Z',
    '0000-01-01',
    '20260228',
    'yes',
    't',
    'on',
    '1',
    'TRUE',
  ],
  ...[
    'false',
    'null',
    '"x"',
    '{"a": 1}',
    '{"a":1}',
    '[1, 2]',
    '1.5',
    '1e-50',
    '1e39',
    '1e400',
    '1e-400',
    '0x10',
    '1_000',
    '١',
  ],
  ...[
    '01890A5D-AC96-774B-BCCE-B302099A8057',
    '{01890a5d-ac96-774b-bcce-b302099a8057}',
    '01890a5dac96774bbcceb302099a8057',
  ],
  ...['x'.repeat(255), '1000000000000000', '0.000001', '1e-7', '123456789.125', '3.4028235e+38', '1.2345678901234567'],
];
const NUMBERS = [
  0,
  1,
  -1,
  5,
  127,
  128,
  255,
  256,
  -128,
  -129,
  32_767,
  65_536,
  16_777_216,
  16_777_217,
  2 ** 31,
  2 ** 53 - 1,
];
const WIDE = [
  '9007199254740993',
  '9223372036854775807',
  '1152921504606846976',
  '18446744073709551615',
  '-9223372036854775808',
];
const FLOATS = [
  0.1,
  1.5,
  -2.5,
  1e-7,
  1e15,
  1e21,
  2 ** 53,
  2 ** 60,
  2 ** 63,
  1e-50,
  1e39,
  5e-324,
  1.7976931348623157e308,
];
const FLOAT32S = [3.4028235e38, 1e-45, 1e-40, 16_777_216, 123_456.79];

/** Random values beside those that conversions have got wrong. */
const random = <T>(arbitrary: fc.Arbitrary<T>, count = 12): T[] => fc.sample(arbitrary, count);
const CANDIDATES: Readonly<Record<string, () => readonly JsonValue[]>> = {
  boolean: () => [true, false],
  time: () => [
    ...['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2026-02-28T10:00:00.120Z'],
    ...random(fc.date({ min: new Date('0001-01-02'), max: new Date('9999-01-01'), noInvalidDate: true })).map((at) =>
      at.toISOString(),
    ),
  ],
  json: () => [
    ...TEXTS,
    ...NUMBERS,
    ...FLOATS.filter((value) => value > 1e-100 && value < 1e100),
    true,
    {},
    [],
    { a: { b: [1, 'x', null] } },
    [1, 'a'],
  ],
  uuid: () => random(fc.uuid()),
  bytes: () => ['', 'AAEC', '/////w=='],
  enum: () => ENUMS,
  string: () => [...TEXTS, ...random(fc.double({ noNaN: true, noDefaultInfinity: true })).map(String)],
  integer: () => [...NUMBERS, ...WIDE, ...random(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n })).map(wireInteger)],
  float: () => [
    ...[...NUMBERS, ...FLOATS, ...FLOAT32S],
    ...random(fc.float({ noNaN: true, noDefaultInfinity: true })).filter((value) => value !== 0),
    ...random(fc.double({ noNaN: true, noDefaultInfinity: true })).filter((value) => value !== 0),
  ],
};

/** Writes a whole number as the API returns it. */
function wireInteger(value: bigint): JsonValue {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

const rules = (type: FieldType) => ({ type, enums: ENUMS, ...(type === 'string' ? { size: 255 } : {}) });
const definitionOf = (type: FieldType, name: string) =>
  field(type, name, { optional: true, ...(type === 'enum' ? { enums: ENUMS.map((value) => ({ value })) } : {}) });

/** Returns a number of a float32 field as the API returns it. */
function shortest(given: number): number {
  const value = Math.fround(given);
  for (let digits = 1; digits <= 9; digits += 1) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return text;
  }
  return value;
}

function candidates(type: FieldType): readonly JsonValue[] {
  const all = CANDIDATES[fieldType(type).family]!().filter((value) => valueMismatch(value, rules(type)) === undefined);
  return type === 'float32' ? all.map((value) => shortest(value as number)) : all;
}

/** Returns the value of another type that a text is input of. */
function readText(text: string, type: FieldType): JsonValue | undefined {
  const { family } = fieldType(type);
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
  if (family === 'boolean') return { true: true, false: false }[text];
  if (family === 'float')
    return isNumber && !(Number(text) === 0 && /^[^eE]*[1-9]/.test(text)) ? Number(text) : undefined;
  if (family === 'integer') return /^-?\d{1,20}$/.test(text) ? text : undefined;
  return text === 'now' && family === 'time' ? undefined : text;
}

/** Writes a value as the text in which the API returns it. */
function textOf(value: JsonValue, type: FieldType): string {
  const { family } = fieldType(type);
  if (family === 'integer') return String(BigInt(value as number | string));
  if (family === 'float') return String(type === 'float32' ? shortest(Number(value)) : Number(value));
  if (family === 'time') return new Date(value as string).toISOString();
  return family === 'uuid' ? String(value).toLowerCase() : String(value);
}

/** JSON text whose value is indistinguishable from other JSON, once it is plain text. */
function looksLikeJson(value: JsonValue): boolean {
  return (
    typeof value === 'string' &&
    /^(true|false|-?(0|[1-9]\d*)(\.\d+)?|\{"a": 1\}|\[1, 2\]|\{\}|\[\])$/.test(value) &&
    value !== '-0'
  );
}

/** Judges a conversion independently of the SQL that does it. */
function verdict(value: JsonValue, from: FieldType, to: FieldType): Verdict {
  const [source, target] = [fieldType(from).family, fieldType(to).family];
  if (from === to || target === 'json') return 'kept';
  if (source === 'json') {
    const isLong = to === 'string' && typeof value === 'string' && value.length > 255;
    return isLong ? 'invalid' : looksLikeJson(value) ? 'changed' : 'kept';
  }
  if (source === 'boolean') return 'kept';
  if (target === 'boolean' && source === 'integer')
    return Number(value) === 0 || Number(value) === 1 ? 'kept' : 'changed';
  const text = textOf(value, from);
  if (source === 'float' && target === 'integer') return fromFloat(Number(value), to);
  const read =
    source === 'float' || source === 'integer' ? (target === 'float' ? Number(text) : text) : readText(text, to);
  if (read === undefined || valueMismatch(read, rules(to)) !== undefined) return 'invalid';
  return textOf(read, to) === text ? 'kept' : 'changed';
}

function fromFloat(value: number, to: FieldType): Verdict {
  const rounded = BigInt(Math.abs(value) >= 1e21 ? '9'.repeat(22) : Math.sign(value) * Math.round(Math.abs(value)));
  if (valueMismatch(String(BigInt(Number(rounded).toLocaleString('fullwide', { useGrouping: false }))), rules(to)))
    return 'invalid';
  return Number.isInteger(value) ? 'kept' : 'changed';
}

describe('changes of types', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeEach(async () => {
    admin = await asAdmin(world.app);
  });

  const isConverted = (from: FieldType, to: FieldType, steps: readonly Step[]) =>
    !steps.some((step) => step.kind === 'archive_column' && step.field === `to_${to}`) && from !== to;
  const define = (from: FieldType, types: readonly FieldType[]) =>
    schema(
      'thing',
      types.map((type) => definitionOf(from, `to_${type}`)),
      { label_field: 'title' },
    );
  const converted = (from: FieldType, types: readonly FieldType[]) =>
    schema(
      'thing',
      types.map((type) => definitionOf(type, `to_${type}`)),
      { label_field: 'title' },
    );
  const stored = (types: readonly FieldType[]) =>
    world.app.sql(`SELECT title, ${types.map((type) => `to_${type}::text`).join(', ')} FROM things ORDER BY title`);
  const fill = async (rows: number, valueAt: (row: number) => Record<string, JsonValue>) => {
    for (let at = 0; at < rows; at += 50) {
      const records = Array.from({ length: Math.min(50, rows - at) }, (_, row) => ({
        title: String(at + row).padStart(4, '0'),
        ...valueAt(at + row),
      }));
      await admin.post('/api/content/things', records).expect(201);
    }
  };
  const remove = () => admin.delete('/api/schema/thing?allow_data_loss=true');
  afterEach(remove);
  const planOf = async (definition: object): Promise<readonly Step[]> =>
    (await admin.post('/api/schema/plan', definition).expect(200)).body.data.steps;

  test.each(TYPES)('%s: the plan counts invalid values and losses, and an undo restores the rest', async (from) => {
    const values = candidates(from);
    const others = TYPES.filter((type) => type !== from);
    await admin.post('/api/schema', define(from, others)).expect(201);
    await fill(values.length, (row) => Object.fromEntries(others.map((type) => [`to_${type}`, values[row]!])));
    const steps = await planOf(converted(from, others));
    const possible = others.filter((type) => isConverted(from, type, steps));
    const of = (to: FieldType, kind: Verdict) => values.filter((value) => verdict(value, from, to) === kind);
    const found = possible.map((to) => {
      const mine = steps.filter((step) => step.field === `to_${to}`);
      const invalid = mine.flatMap(({ problems }) => problems).reduce((sum, { count }) => sum + count, 0);
      return { to, invalid, changed: mine.reduce((sum, { rows }) => sum + (rows ?? 0), 0) };
    });
    const expected = possible.map((to) => ({
      to,
      invalid: of(to, 'invalid').length,
      changed: of(to, 'changed').length,
    }));
    expect(found).toEqual(expected);
    await remove();
    if (possible.length === 0) return;

    const kept = new Map(possible.map((to) => [to, of(to, 'kept')]));
    const rows = Math.max(0, ...[...kept.values()].map(({ length }) => length));
    await admin.post('/api/schema', define(from, possible)).expect(201);
    await fill(rows, (row) => Object.fromEntries(possible.map((to) => [`to_${to}`, kept.get(to)![row] ?? null])));
    const before = await stored(possible);
    await admin.put('/api/schema/thing', converted(from, possible)).expect(200);
    const after = await stored(possible);
    for (const expectation of [before, after, before]) {
      await admin.post('/api/schema/undo').expect(200);
      expect(await stored(possible)).toEqual(expectation);
    }
  });

  test.each<[FieldType, FieldType, JsonValue]>([
    ['text', 'float64', '1.50'],
    ['text', 'time', '2026-02-28'],
    ['int64', 'float64', '9007199254740993'],
    ['float64', 'float32', 0.123456789],
    ['float64', 'int', 1.5],
    ['json', 'text', '5'],
  ])('a loss from %s to %s needs consent, and its undo is refused', async (from, to, value) => {
    await admin.post('/api/schema', define(from, [to])).expect(201);
    await fill(2, () => ({ [`to_${to}`]: value }));
    const refused = await admin.put('/api/schema/thing', converted(from, [to])).expect(409);
    expect(refused.body.data).toMatchObject({ error: 'migration_destructive', steps: [{ rows: 2 }] });
    await admin.put('/api/schema/thing?allow_data_loss=true', converted(from, [to])).expect(200);
    const after = await stored([to]);
    expect((await admin.post('/api/schema/undo').expect(409)).body.data.error).toBe('undo_impossible');
    expect(await stored([to])).toEqual(after);
  });

  it('restores JSON after a change to text', async () => {
    const values = [{ a: [1, 'x', null] }, [], 'plain', 5, true, 0.1];
    await admin.post('/api/schema', define('json', ['text'])).expect(201);
    await fill(values.length, (row) => ({ to_text: values[row]! }));
    const before = await stored(['text']);
    await admin.put('/api/schema/thing', converted('json', ['text'])).expect(200);
    await admin.post('/api/schema/undo').expect(200);
    expect(await stored(['text'])).toEqual(before);
    const { items } = (await admin.get('/api/content/things?sort=title').expect(200)).body.data;
    expect(items.map((item: { to_text: unknown }) => item.to_text)).toEqual(values);
  });

  it('restores text after a change to JSON, and refuses the undo once JSON was written that is no text', async () => {
    await admin.post('/api/schema', define('text', ['json'])).expect(201);
    await fill(3, (row) => ({ to_json: ['5', '{"a": 1}', 'x'][row]! }));
    const before = await stored(['json']);
    const json = converted('text', ['json']);
    await admin.put('/api/schema/thing', json).expect(200);
    await admin.post('/api/schema/undo').expect(200);
    expect(await stored(['json'])).toEqual(before);
    await admin.post('/api/schema/undo').expect(200);
    await admin.post('/api/content/things', { title: 'new', to_json: { a: 1 } }).expect(201);
    expect((await admin.post('/api/schema/undo').expect(409)).body.data.error).toBe('undo_impossible');
  });
});
