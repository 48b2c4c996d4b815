import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CsvParser, type ParsedFile } from './rows/csv-parser.service.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('the CSV parser', () => {
  let parser: CsvParser;
  beforeEach(() => (parser = new CsvParser()));
  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await parser.onApplicationShutdown();
  });

  async function cells(file: ParsedFile, ...parts: readonly string[]): Promise<unknown[]> {
    const pending = [...parts.map((part) => file.parse(bytes(part))), file.parse(null)];
    return (await Promise.all(pending)).flatMap(({ records }) => records);
  }

  it('distinguishes an empty cell from an empty text, also across chunks', async () => {
    expect(await cells(parser.open(','), 'a,', 'b\n,""\n"x ""', 'y""",z')).toEqual([
      ['a', 'b'],
      [null, ''],
      ['x "y"', 'z'],
    ]);
  });

  it('keeps concurrent files apart', async () => {
    const files = [',', ';', '\t'].map((delimiter) => cells(parser.open(delimiter), `1${delimiter}`, '2\n'));
    expect(await Promise.all(files)).toEqual([[['1', '2']], [['1', '2']], [['1', '2']]]);
  });

  it('reports the first invalid record, and whether all is UTF-8', async () => {
    const broken = parser.open(',');
    await broken.parse(bytes('a\n"b"c\nd\n'));
    expect(await broken.parse(null)).toMatchObject({ isEncoded: true, broken: { row: 2 } });
    const latin = parser.open(',');
    expect(await latin.parse(new Uint8Array([0x61, 0x0a]))).toMatchObject({ isEncoded: true });
    expect(await latin.parse(new Uint8Array([0xe9, 0x0a]))).toMatchObject({ isEncoded: false, broken: null });
  });

  it('does not change its input', async () => {
    const input = bytes('a,b\n');
    await parser.open(',').parse(input);
    expect(input.toString()).toBe('a,b\n');
  });

  it('fails only for the unreadable file', async () => {
    const other = parser.open(',');
    await expect(parser.open('').parse(bytes('a\n'))).rejects.toMatchObject({ code: 'server_busy' });
    expect(await cells(other, 'a\n')).toEqual([['a']]);
  });

  it('stops its thread thirty seconds after the last file, and leaves no timer', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const terminate = jest.spyOn(Worker.prototype, 'terminate');
    const [one, other] = [parser.open(','), parser.open(',')];
    await Promise.all([one.parse(bytes('a\n')), other.parse(bytes('b\n'))]);
    one.close();
    jest.advanceTimersByTime(60_000);
    expect(terminate).not.toHaveBeenCalled();
    other.close();
    jest.advanceTimersByTime(29_999);
    expect(terminate).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(terminate).toHaveBeenCalledTimes(1);
    const last = parser.open(',');
    await last.parse(bytes('c\n'));
    await parser.onApplicationShutdown();
    last.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('rejects waiting files when its thread crashes, and continues with another', async () => {
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
