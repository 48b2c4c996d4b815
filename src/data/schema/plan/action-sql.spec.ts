import type { JsonValue } from '../../../kernel/schema-definition.types.js';
import type { LinkedColumn } from '../../model/schema-model.types.js';
import { quoteIdentifier } from '../../model/identifiers.js';
import { defaultExpression, quoteText } from './action-sql.js';

const column = (type: LinkedColumn['type'], sqlType: string): LinkedColumn => {
  return { id: 'x', name: 'x', field: 'x', type, sqlType, nullable: true, managed: true, identity: false };
};

describe('identifiers', () => {
  test.each([
    ['posts', '"posts"'],
    ['a"b', '"a""b"'],
    ['x"; DROP TABLE users; --', '"x""; DROP TABLE users; --"'],
  ])('%s', (name, quoted) => {
    expect(quoteIdentifier(name)).toBe(quoted);
  });

  test.each(['', 'a'.repeat(64), 'ü'.repeat(32), 'a\0b'])('%j is rejected', (name) => {
    expect(() => quoteIdentifier(name)).toThrow(RangeError);
  });
});

describe('text', () => {
  test.each([
    ["it's", "'it''s'"],
    ["\\' OR 1=1 --", "E'\\\\'' OR 1=1 --'"],
    ['', "''"],
  ])('%s', (text, quoted) => {
    expect(quoteText(text)).toBe(quoted);
  });

  test('with a NUL is rejected', () => {
    expect(() => quoteText('a\0')).toThrow(RangeError);
  });
});

describe('defaults', () => {
  test.each<[LinkedColumn['type'], string, JsonValue, string]>([
    ['bool', 'boolean', true, 'true'],
    ['int64', 'bigint', '9223372036854775807', '9223372036854775807'],
    ['float64', 'double precision', 1e-7, '1e-7::double precision'],
    ['time', 'timestamptz(3)', 'now', 'now()'],
    ['time', 'timestamptz(3)', '2024-02-29', "'2024-02-29'::timestamptz(3)"],
    ['json', 'jsonb', { a: "x'y" }, `'{"a":"x''y"}'::jsonb`],
    ['bytes', 'bytea', 'AQID', "'\\x010203'::bytea"],
    ['string', 'varchar(9)', 'a\\b', "E'a\\\\b'::varchar(9)"],
  ])('%s', (type, sqlType, value, sql) => {
    expect(defaultExpression(column(type, sqlType), value)).toBe(sql);
  });
});
