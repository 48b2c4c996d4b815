import { estimateStrength } from './strength-estimate.js';
import { judge } from './strength-words.js';
import { en } from '../texts/en/en.js';
import { showTexts } from '../texts/texts.js';

beforeAll(() => showTexts(en));

describe('what a password is worth', () => {
  it.each<[string, string]>([
    ['', ''],
    ['seven77', 'Too short: 1 more character'],
    ['🦊🦊🦊', 'Too short: 5 more characters'],
    ['password1', 'Too common: it will be refused'],
    ['PassWord1', 'Too common: it will be refused'],
    ['ann.sofie', 'Weak: easy to guess'],
    ['Ann.Sofie@Example.com', 'Weak: easy to guess'],
    ['aaaaaaaaaaaaaaaa', 'Weak: easy to guess'],
    ['violet lantern over 9 docks', 'Strong'],
    ['x'.repeat(5_000), 'Weak: easy to guess'],
  ])('%j: %s', (password, words) => {
    expect(judge(password, estimateStrength(password, ['ann.sofie@example.com', 'Sofie', ''])).text).toBe(words);
  });

  it('is told by its length alone as long as nothing else is known', () => {
    expect(judge('short', null)).toEqual({ level: 1, text: 'Too short: 3 more characters' });
    expect(judge('password1', null)).toEqual({ level: 0, text: '' });
  });

  it('more bars for what is harder to guess', () => {
    const levels = ([0, 1, 2, 3, 4] as const).map((strength) => judge('long enough', strength).level);
    expect(levels).toEqual([1, 1, 2, 3, 4]);
  });
});
