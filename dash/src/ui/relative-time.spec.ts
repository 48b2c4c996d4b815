import { relativeTime } from './relative-time.js';
import { de } from '../texts/de/de.js';
import { en } from '../texts/en/en.js';
import { showTexts } from '../texts/texts.js';

beforeAll(() => showTexts(en));

const NOW = Date.parse('2026-11-22T12:00:00.000Z');
const SECONDS = { minute: 60, hour: 3_600, day: 86_400 };
const ago = (seconds: number): string => relativeTime(NOW - seconds * 1_000, NOW);

describe('relativeTime', () => {
  it.each<[number, string]>([
    [0, 'just now'],
    [59, 'just now'],
    [SECONDS.minute, '1 minute ago'],
    [59.9 * SECONDS.minute, '59 minutes ago'],
    [SECONDS.hour, '1 hour ago'],
    [23.9 * SECONDS.hour, '23 hours ago'],
    [SECONDS.day, 'yesterday'],
    [13 * SECONDS.day, '13 days ago'],
    [14 * SECONDS.day, '2 weeks ago'],
    [30 * SECONDS.day, 'last month'],
    [364 * SECONDS.day, '12 months ago'],
    [365 * SECONDS.day, 'last year'],
    [900 * SECONDS.day, '2 years ago'],
  ])('formats %d seconds: %s', (seconds, text) => expect(ago(seconds)).toBe(text));

  it('formats future times as now', () => expect(ago(-90_000)).toBe('just now'));
});

it('uses the language of the page', () => {
  showTexts(de);
  expect([59, SECONDS.minute, 2 * SECONDS.hour, SECONDS.day, 30 * SECONDS.day].map(ago)).toEqual([
    'gerade eben',
    'vor 1 Minute',
    'vor 2 Stunden',
    'gestern',
    'letzten Monat',
  ]);
});
