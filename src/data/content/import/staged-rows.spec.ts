import { parseJson } from '../../../kernel/text/json-numbers.js';
import { NamedRecord } from './named-records.js';
import { staged, unstaged } from './staged-rows.js';

describe('rows that are kept', () => {
  it.each([
    '{"code":"9007199254740993","views":5}',
    '{"views":9007199254740993}',
    '{"meta":{"list":[1,12345678901234567890.5]},"code":" [1]"}',
    '[9007199254740993]',
    '"text"',
    '9007199254740992',
  ])('say what they said, to the last digit: %s', (text) => {
    const rows = [
      { row: 2, body: parseJson(text), size: 1 },
      { row: 3, body: parseJson('{"code":"b"}'), size: 1 },
    ];
    const kept = unstaged(staged(rows, new Set([3])));
    expect(kept.map(({ row, isFaulty }) => [row, isFaulty])).toEqual([
      [2, false],
      [3, true],
    ]);
    expect(staged(kept, new Set([3]))).toBe(staged(rows, new Set([3])));
    expect(staged(kept, new Set())).toContain(text);
  });

  it('are those of a version that marked none of them, too', () => {
    const [kept] = unstaged('[[2,0,{"views":9007199254740993}]]');
    expect(staged([kept!], new Set())).toContain('9007199254740993');
  });

  it('name others as they did, and nothing where they could not be read', () => {
    const named = { author: new NamedRecord('email', 'a@example.com'), title: 'a' };
    const rows = unstaged(
      staged(
        [
          { row: 2, body: named, size: 1 },
          { row: 3, body: undefined, size: 0 },
        ],
        new Set(),
      ),
    );
    expect(rows.map(({ body }) => body)).toEqual([named, undefined]);
    expect((rows[0]!.body as typeof named).author).toBeInstanceOf(NamedRecord);
  });
});
