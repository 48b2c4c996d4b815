import { isStorable, isStorableJson, toStorable } from './storable-text.js';

describe('text that PostgreSQL can store', () => {
  test.each(['', 'a', '\u0001', '\ufffd', '\u{1f600}'])('includes %j', (text) => {
    expect(isStorable(text)).toBe(true);
    expect(isStorableJson({ [text]: [text] })).toBe(true);
    expect(toStorable(text)).toBe(text);
  });

  test.each(['\0', 'a\0b', '\ud800', '\udc00', '\udc00\ud800'])('does not include %j', (text) => {
    expect(isStorable(text)).toBe(false);
    expect(isStorableJson([{ a: text }])).toBe(false);
    expect(isStorableJson({ a: { [text]: 1 } })).toBe(false);
    expect(isStorable(toStorable(text))).toBe(true);
  });
});
