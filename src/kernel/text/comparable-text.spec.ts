import { appearances, foldCase } from './comparable-text.js';

const ASSIGNED = Array.from({ length: 0x2fa20 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{L}\p{M}\p{N}]/u.test(character));

describe('case-insensitive comparison', () => {
  it.each([
    ['Straße7', 'STRASSE7'],
    ['STRAẞE7', 'straße7'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['ΔΣ1', 'δσ1'],
    ['diyarbakır', 'DIYARBAKIR'],
    ['İZMİR', 'izmir'],
    ['ÉMILE', 'émile'],
    ['ǅungla', 'ǆUNGLA'],
    ['ԵՒ', 'և'],
    ['ᾳ', 'ΑΙ'],
    ['ꭰ', 'Ꭰ'],
    ['𐐀', '𐐨'],
  ])('treats %s and %s as equal', (one, other) => expect(foldCase(one)).toBe(foldCase(other)));

  it.each([
    ['a', 'b'],
    ['e', 'é'],
    ['o', '0'],
    ['и', 'й'],
    ['strase', 'straße'],
  ])('treats %s and %s as different', (one, other) => expect(foldCase(one)).not.toBe(foldCase(other)));

  it('ignores the case of any letter, and is idempotent', () => {
    const wrong = ASSIGNED.filter((character) => {
      const folded = foldCase(character);
      const spellings = [character.toUpperCase(), character.toLowerCase(), folded, folded.toUpperCase()];
      return spellings.some((spelling) => foldCase(spelling) !== folded);
    });
    expect(wrong).toEqual([]);
  });

  it('equates every pair of cases that a case-insensitive regular expression equates', () => {
    const unequal = ASSIGNED.flatMap((character) => {
      const otherCases = [character.toUpperCase(), character.toLowerCase()].filter((other) => [...other].length === 1);
      return otherCases.filter(
        (other) => new RegExp(`^${character}$`, 'iu').test(other) && foldCase(other) !== foldCase(character),
      );
    });
    expect(unequal).toEqual([]);
  });
});

describe('similar texts', () => {
  const alike = (one: string, other: string): boolean => {
    const forms = new Set(appearances(one));
    return appearances(other).some((form) => forms.has(form));
  };

  it.each([
    'admin',
    'ADMIN',
    'admın',
    'аdmin',
    'АDМIN',
    'adМin',
    'αdmin',
    'adrnin',
    'adm1n',
    'ａｄｍｉｎ',
    '𝐚𝐝𝐦𝐢𝐧',
    'аԁmіn',
    'ⓐⓓⓜⓘⓝ',
  ])('%s looks like admin', (text) => expect(alike(text, 'admin')).toBe(true));

  it.each(['admins', 'admi', 'badmin', 'a.dmin', 'edmin', 'nimda', 'адмирал', '管理者'])(
    '%s does not look like admin',
    (text) => expect(alike(text, 'admin')).toBe(false),
  );
});
