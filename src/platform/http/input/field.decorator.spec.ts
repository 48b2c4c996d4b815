import {
  characterCount,
  type FieldCheck,
  allOf,
  isPlainText,
  optionalText,
  requiredSecret,
  requiredText,
} from './field.decorator.js';

const LONE_SURROGATE = 'a\ud800';
const NO_TEXT: readonly unknown[] = [0, 1, true, false, [], ['a'], {}, { length: 1 }, { toString: 'a' }, Number.NaN];

const codeOf = (check: FieldCheck, value: unknown): string | null => check(value)?.code ?? null;

describe('validation of request fields', () => {
  it.each([undefined, null, ''])('reports %j as a missing required text', (value) => {
    expect(codeOf(requiredText(5), value)).toBe('required');
    expect(codeOf(requiredSecret, value)).toBe('required');
  });

  it('accepts a missing or empty optional text', () => {
    for (const value of [undefined, null, '']) expect(codeOf(optionalText(5), value)).toBeNull();
  });

  it.each(NO_TEXT)('rejects %j as text', (value) => {
    for (const check of [requiredText(5), optionalText(5), requiredSecret])
      expect(codeOf(check, value)).toBe('type_invalid');
  });

  it('counts characters as users do', () => {
    expect(characterCount('a😀é')).toBe(3);
    expect(codeOf(requiredText(3), '😀😀😀')).toBeNull();
    expect(codeOf(requiredText(3), '😀😀😀😀')).toBe('too_long');
    expect(codeOf(optionalText(3), 'abcd')).toBe('too_long');
  });

  it.each(['a\nb', 'a\u0000', '\u007f', '\u0085', LONE_SURROGATE])('rejects %j in a text', (value) => {
    expect(isPlainText(value)).toBe(false);
    expect(codeOf(requiredText(9), value)).toBe('characters_invalid');
  });

  it('keeps a secret byte for byte', () => {
    for (const value of ['\u0000', ' ', '\n', '😀', 'é', 'e\u0301']) expect(codeOf(requiredSecret, value)).toBeNull();
    expect(codeOf(requiredSecret, LONE_SURROGATE)).toBe('characters_invalid');
  });

  it('does not show the value', () => {
    for (const check of [requiredText(3), optionalText(3), requiredSecret])
      for (const value of ['sesame', 'sesame\ud800', ['sesame']])
        expect(check(value)?.message ?? '').not.toContain('sesame');
  });

  it('reports the first error of a field only', () => {
    const never = jest.fn(() => null);
    expect(codeOf(allOf(requiredText(3), never), undefined)).toBe('required');
    expect(never).not.toHaveBeenCalled();
    expect(codeOf(allOf(requiredText(3), never), 'abc')).toBeNull();
    expect(never).toHaveBeenCalledWith('abc');
  });
});
