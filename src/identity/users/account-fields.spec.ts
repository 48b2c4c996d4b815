import { optionalUsername, USERNAME_MAX, usernameKey } from './account-fields.js';

const codeOf = (value: unknown): string | null => optionalUsername(value)?.code ?? null;

describe('a user name', () => {
  it.each([undefined, null, 'a', 'ann', 'Ann.B_c-9', '名前', 'Ωmega', 'é', 'हिन्दी', 'x'.repeat(USERNAME_MAX)])(
    'may be %j',
    (value) => expect(codeOf(value)).toBeNull(),
  );

  it.each([
    ['like an address', 'ann@example.com'],
    ['like an address, with a full-width sign', 'ann＠example.com'],
    ['empty', ''],
    ['blank inside', 'ann b'],
    ['blank around', ' ann '],
    ['a path', '../ann'],
    ['beginning with a dot', '.ann'],
    ['ending with a hyphen', 'ann-'],
    ['in full-width letters', 'ａｄｍｉｎ'],
    ['with a ligature', 'oﬃce'],
    ['with a zero-width space', 'ad\u200bmin'],
    ['with a zero-width joiner', 'ad\u200dmin'],
    ['with a soft hyphen', 'ad\u00admin'],
    ['with a filler that counts as a letter', 'admin\u115f'],
    ['with a variation selector', 'admin\ufe0f'],
    ['with a grapheme joiner', 'ad\u034fmin'],
    ['from right to left by a mark', 'ad\u202emin'],
    ['beginning with a combining mark', '\u0301ann'],
    ['decomposed', 'e\u0301'],
    ['with markup', '<b>ann</b>'],
  ])('may not be %s', (_, value) => expect(codeOf(value)).toBe('username_invalid'));

  it('may not be too long, or contain control characters', () => {
    expect(codeOf('x'.repeat(USERNAME_MAX + 1))).toBe('too_long');
    expect(codeOf('ann\u0000')).toBe('characters_invalid');
  });

  it.each([0, ['ann'], { a: 1 }, true])('may not be %j', (value) => expect(codeOf(value)).toBe('type_invalid'));

  it('is compared case-insensitively', () => {
    expect(usernameKey('ANN')).toBe(usernameKey('ann'));
    expect(usernameKey('ÉMILE')).toBe(usernameKey('émile'));
  });
});
