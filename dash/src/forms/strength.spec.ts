import { estimateStrength } from './strength-estimate.js';
import { rateStrength } from './strength-rating.js';
import { en } from '../texts/en/en.js';
import { showTexts } from '../texts/texts.js';

beforeAll(() => showTexts(en));

describe('password strength', () => {
  it.each<[string, string]>([
    ['', ''],
    ['seven77', 'Too short: 1 more character'],
    ['🦊🦊🦊', 'Too short: 5 more characters'],
    ['password1', 'Too common: not allowed'],
    ['PassWord1', 'Too common: not allowed'],
    ['ann.sofie', 'Weak: easy to guess'],
    ['Ann.Sofie@Example.com', 'Weak: easy to guess'],
    ['aaaaaaaaaaaaaaaa', 'Weak: easy to guess'],
    ['violet lantern over 9 docks', 'Strong'],
    ['x'.repeat(5_000), 'Weak: easy to guess'],
  ])('%j: %s', (password, text) => {
    expect(rateStrength(password, estimateStrength(password, ['ann.sofie@example.com', 'Sofie', ''])).text).toBe(text);
  });

  it('depends on the length until the estimate is loaded', () => {
    expect(rateStrength('short', null)).toEqual({ level: 1, text: 'Too short: 3 more characters' });
    expect(rateStrength('password1', null)).toEqual({ level: 0, text: '' });
  });

  it('shows more bars for stronger passwords', () => {
    const levels = ([0, 1, 2, 3, 4] as const).map((strength) => rateStrength('long enough', strength).level);
    expect(levels).toEqual([1, 1, 2, 3, 4]);
  });
});
