import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CsvParser, type ParsedFile } from './rows/csv-parser.service.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('the parser of CSV', () => {
  let parser: CsvParser;
  beforeEach(() => (parser = new CsvParser()));
  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await parser.onApplicationShutdown();
  });

  async function cells(file: ParsedFile, ...parts: readonly string[]): Promise<unknown[]> {
    const asked = [...parts.map((part) => file.parse(bytes(part))), file.parse(null)];
    return (await Promise.all(asked)).flatMap(({ records }) => records);
  }

  it('tells an empty cell from an empty text, also of what comes in pieces', async () => {
    expect(await cells(parser.open(','), 'a,', 'b\n,""\n"x ""', 'y""",z')).toEqual([
      ['a', 'b'],
      [null, ''],
      ['x "y"', 'z'],
    ]);
  });

  it('keeps files apart that come at the same time', async () => {
    const files = [',', ';', '\t'].map((delimiter) => cells(parser.open(delimiter), `1${delimiter}`, '2\n'));
    expect(await Promise.all(files)).toEqual([[['1', '2']], [['1', '2']], [['1', '2']]]);
  });

  it('tells the first record that is none, and whether all is UTF-8', async () => {
    const broken = parser.open(',');
    await broken.parse(bytes('a\n"b"c\nd\n'));
    expect(await broken.parse(null)).toMatchObject({ isEncoded: true, broken: { row: 2 } });
    const latin = parser.open(',');
    expect(await latin.parse(new Uint8Array([0x61, 0x0a]))).toMatchObject({ isEncoded: true });
    expect(await latin.parse(new Uint8Array([0xe9, 0x0a]))).toMatchObject({ isEncoded: false, broken: null });
  });

  it('leaves the bytes that it is given to who gave them', async () => {
    const given = bytes('a,b\n');
    await parser.open(',').parse(given);
    expect(given.toString()).toBe('a,b\n');
  });

  it('ends for a file alone that it cannot read at all', async () => {
    const other = parser.open(',');
    await expect(parser.open('').parse(bytes('a\n'))).rejects.toMatchObject({ code: 'server_busy' });
    expect(await cells(other, 'a\n')).toEqual([['a']]);
  });

  it('ends its thread thirty seconds after the last file, and with it leaves no timer', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const ended = jest.spyOn(Worker.prototype, 'terminate');
    const [one, other] = [parser.open(','), parser.open(',')];
    await Promise.all([one.parse(bytes('a\n')), other.parse(bytes('b\n'))]);
    one.close();
    jest.advanceTimersByTime(60_000);
    expect(ended).not.toHaveBeenCalled();
    other.close();
    jest.advanceTimersByTime(29_999);
    expect(ended).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(ended).toHaveBeenCalledTimes(1);
    const last = parser.open(',');
    await last.parse(bytes('c\n'));
    await parser.onApplicationShutdown();
    last.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('refuses those who wait when its thread ends, and goes on with another', async () => {
    const file = parser.open(',');
    await file.parse(bytes('a\n'));
    const waiting = Array.from({ length: 3 }, async () => file.parse(bytes('b\n'.repeat(100_000))));
    const refusals = Promise.allSettled(waiting);
    await parser.onApplicationShutdown();
    const busy = { status: 'rejected', reason: expect.objectContaining({ code: 'server_busy' }) as unknown };
    expect(await refusals).toContainEqual(busy);
    await setImmediate();
    await expect(file.parse(bytes('c\n'))).rejects.toMatchObject({ code: 'server_busy' });
    file.close();
    expect(await cells(parser.open(','), 'd\n')).toEqual([['d']]);
  });
});
