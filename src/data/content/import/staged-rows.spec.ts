import { parseJson } from '../../../kernel/text/json.js';
import { NamedRecord } from './named-records.js';
import { staged, unstaged } from './import-writer.service.js';

describe('staged rows', () => {
  it.each([
    '{"code":"9007199254740993","views":5}',
    '{"views":9007199254740993}',
    '{"meta":{"list":[1,12345678901234567890.5]},"code":" [1]"}',
    '[9007199254740993]',
    '"text"',
    '9007199254740992',
  ])('keep their values, to the last digit: %s', (text) => {
    const rows = [
      { row: 2, body: parseJson(text), size: 1 },
      { row: 3, body: parseJson('{"code":"b"}'), size: 1 },
    ];
    const restored = unstaged(staged(rows, new Set([3])));
    expect(restored.map(({ row, isFaulty }) => [row, isFaulty])).toEqual([
      [2, false],
      [3, true],
    ]);
    expect(staged(restored, new Set([3]))).toBe(staged(rows, new Set([3])));
    expect(staged(restored, new Set())).toContain(text);
  });

  it('include rows of a version without markers', () => {
    const [restored] = unstaged('[[2,0,{"views":9007199254740993}]]');
    expect(staged([restored!], new Set())).toContain('9007199254740993');
  });

  it('keep their references, and none if they were unreadable', () => {
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
