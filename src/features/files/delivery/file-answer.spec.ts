import { requestedRange } from './file-answer.js';

describe('a range', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=2-4', { start: 2, end: 4 }],
    ['bytes=2-', { start: 2, end: 9 }],
    ['bytes=9-999', { start: 9, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-999', { start: 0, end: 9 }],
    ['Bytes = 1 - 2', { start: 1, end: 2 }],
  ])('%s of ten bytes is %j', (header, range) => {
    expect(requestedRange(header, 10)).toEqual(range);
  });

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=999999999999999-'])(
    '%s is outside of ten bytes',
    (header) => {
      expect(requestedRange(header, 10)).toBe('unsatisfiable');
    },
  );

  it.each([
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=4-2',
    'bytes=a-b',
    'bytes=0-1,3-4',
    `bytes=${Array.from({ length: 1_000 }, () => '0-').join(',')}`,
    'items=0-1',
    'bytes=0x1-2',
    'bytes=1.5-2',
    'bytes=--1',
    'bytes=99999999999999999999-',
  ])('%s is ignored', (header) => {
    expect(requestedRange(header, 10)).toBe('whole');
  });

  it('is invalid for an empty file', () => {
    expect(['bytes=0-', 'bytes=-1', 'bytes=0-0'].map((header) => requestedRange(header, 0))).toEqual(
      Array.from({ length: 3 }, () => 'unsatisfiable'),
    );
  });
});
