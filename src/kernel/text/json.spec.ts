import { copyRounded, hasRounded, parseJson, stringifyJson } from './json.js';

const isRounded = (literal: string): boolean => hasRounded(parseJson(`{"v":${literal}}`) as object, 'v');

describe('numbers in JSON', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '18446744073709551615',
    '9007199254740992.5',
    '0.1234567890123456789',
    '0.10000000000000000555',
    '1e-400',
    '-1.5e-330',
    '1.00000000000000001e3',
    '9007199254740993e0',
    '900719925474099.3E+1',
    `1${'0'.repeat(30)}1`,
    `0.${'0'.repeat(5_000)}1`,
  ])('are reported if %s would be rounded', (literal) => expect(isRounded(literal)).toBe(true));

  it.each([
    '0',
    '-0',
    '0.0',
    '0e999999',
    '0.000000000000000000000',
    '1.50',
    '0.1',
    '1e3',
    '1E+2',
    '-1.5e-7',
    '1e23',
    '9007199254740992',
    '9007199254740994',
    '9007199254740991',
    '0.30000000000000004',
    '1.7976931348623157e308',
    '5e-324',
    '100000000000000000000000',
    '123456789012345.000000000000',
    '1e400',
    '2.2250738585072014e-308',
  ])('keep %s', (literal) => expect(isRounded(literal)).toBe(false));

  it('keep every number that JavaScript writes', () => {
    const bits = new DataView(new ArrayBuffer(8));
    for (let at = 0; at < 2_000; at += 1) {
      bits.setUint32(0, Math.floor(Math.random() * 2 ** 32));
      bits.setUint32(4, Math.floor(Math.random() * 2 ** 32));
      const number = bits.getFloat64(0);
      if (Number.isFinite(number))
        expect({ number, isRounded: isRounded(String(number)) }).toEqual({ number, isRounded: false });
    }
  });

  it('are found at any depth, and parsed like JSON.parse', () => {
    const text =
      '{"a":[{"b":[1,9007199254740993]},"9007199254740993","\\"9007199254740993"],"c":0.5,"d":"\\\\","e":1e2}';
    const value = parseJson(text) as Record<string, object>;
    expect(value).toEqual(JSON.parse(text));
    expect(['a', 'c', 'd', 'e', 'f'].map((name) => hasRounded(value, name))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(hasRounded(value['a'] as object, '0')).toBe(true);
    expect(hasRounded(value['a'] as object, '1')).toBe(false);
    expect(hasRounded(copyRounded(value['a'] as object, [...(value['a'] as unknown[])]), '0')).toBe(true);
  });

  it.each([
    '00000000000000000001',
    '{"a":1234567890123456789',
    '[1234567890123456789.]',
    '{"a":-}',
    '[12345678901234567 8]',
    '',
  ])('do not accept %s', (text) => expect(() => parseJson(text)).toThrow(SyntaxError));

  it('are written as they were read, unless they change', () => {
    const text =
      '{"a":[9007199254740993,0.1234567890123456789],"b":12345678901234567890,"c":"x9007199254740993","d":1}';
    const value = parseJson(text) as Record<string, unknown>;
    expect(stringifyJson(value)).toBe(text);
    value['b'] = 7;
    value['a'] = [1];
    expect(stringifyJson(value)).toBe('{"a":[1],"b":7,"c":"x9007199254740993","d":1}');
  });

  it('are parsed in linear time', () => {
    const long = [
      `{"v":${'0.' + '0'.repeat(500_000)}1}`,
      `{"v":${'1'.repeat(500_000)}}`,
      `{"v":"${'\\"1'.repeat(300_000)}","w":1e1}`,
    ];
    const started = performance.now();
    for (const text of long) parseJson(text);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
