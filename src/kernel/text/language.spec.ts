import { acceptedLanguages, directionOf, LANGUAGES, parseLanguage, pickLanguage } from './language.js';

describe('parseLanguage', () => {
  it.each([
    ['de', 'de'],
    ['DE-at', 'de-AT'],
    ['pt-br', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
  ])('writes %s as %s', (tag, canonical) => expect(parseLanguage(tag)).toBe(canonical));

  it.each(['', '*', 'd', 'de_AT', 'de AT', 'deutsch!', 'de-', '../de', 'de\u0000', `de-${'x'.repeat(40)}`])(
    'rejects %j',
    (tag) => expect(parseLanguage(tag)).toBeNull(),
  );
});

describe('pickLanguage', () => {
  it('returns the first available one, with or without its region', () => {
    expect(pickLanguage(['fr', 'de-AT', 'en'], LANGUAGES)).toBe('de');
    expect(pickLanguage(['pt-BR'], ['pt', 'pt-BR'])).toBe('pt-BR');
    expect(pickLanguage(['zh-Hant-TW'], ['zh-Hant'])).toBe('zh-Hant');
  });

  it('returns none if there is none, for any input', () => {
    expect(pickLanguage([null, undefined, '', '*', '__proto__', 'fr'], LANGUAGES)).toBeNull();
  });
});

describe('acceptedLanguages', () => {
  it.each<[string | undefined, string[]]>([
    [undefined, []],
    ['de', ['de']],
    ['en;q=0.5, de-AT;q=0.9,fr', ['fr', 'de-AT', 'en']],
    ['de;q=0, en', ['en']],
    ['*, en;q=0.1', ['en']],
    ['de;q=2, en;q=x, , ;q=1, fr ; q=0.3', ['fr']],
  ])('reads %j as %j', (header, languages) => expect(acceptedLanguages(header)).toEqual(languages));

  it('reads only the beginning of a long header', () => {
    expect(acceptedLanguages(`de,${'x,'.repeat(100_000)}en`)).not.toContain('en');
  });
});

it('detects right-to-left languages', () => {
  expect(['en', 'de', 'ar-EG', 'he', 'pt-BR', 'fa'].map(directionOf)).toEqual([
    'ltr',
    'ltr',
    'rtl',
    'rtl',
    'ltr',
    'rtl',
  ]);
});
