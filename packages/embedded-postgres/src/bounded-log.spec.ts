import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundLog, sizeOf, tailOf } from './bounded-log.js';

describe('a bounded log', () => {
  let directory: string;
  let log: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'embedded-postgres-log-'));
    log = join(directory, 'postgres.log');
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  it('is rotated when it is too large, and not before', () => {
    boundLog(log, 10);
    appendFileSync(log, '0123456789');
    boundLog(log, 10);
    expect(sizeOf(log)).toBe(10);
    appendFileSync(log, 'x');
    boundLog(log, 10);
    expect(sizeOf(log)).toBe(0);
    expect(readFileSync(`${log}.1`, 'utf8')).toBe('0123456789x');
  });

  it('returns its last lines, up to a limit and after a position', () => {
    expect(tailOf(log)).toBe('');
    appendFileSync(log, 'before after');
    expect(tailOf(log, 7)).toBe('after');
    expect(tailOf(log, 0, 3)).toBe('ter');
    expect(tailOf(log, 12)).toBe('');
    expect(tailOf(log, 99)).toBe('before after');
  });
});
