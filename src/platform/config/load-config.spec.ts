import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOrCreateAppKey } from './load-config.js';

describe('the application key of a data directory', () => {
  let directory = '';

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lintel-key-'));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is created once from 32 random bytes, readable by its owner only', () => {
    const dataDir = join(directory, 'deep/data');
    const key = readOrCreateAppKey(dataDir);
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(statSync(join(dataDir, 'app.key')).mode & 0o777).toBe(0o600);
    expect(readOrCreateAppKey(dataDir)).toBe(key);
    expect(readdirSync(dataDir)).toEqual(['app.key']);
    expect(readOrCreateAppKey(join(directory, 'other'))).not.toBe(key);
  });

  it('is used as found, without the line break', () => {
    writeFileSync(join(directory, 'app.key'), `${'k'.repeat(40)}\r\n`);
    expect(readOrCreateAppKey(directory)).toBe('k'.repeat(40));
  });

  it('is not replaced, even if it is too short', () => {
    const path = join(directory, 'app.key');
    writeFileSync(path, 'sesame');
    expect(() => readOrCreateAppKey(directory)).toThrow(/APP_KEY must have at least 32 bytes/);
    expect(() => readOrCreateAppKey(directory)).not.toThrow(/sesame/);
    expect(readFileSync(path, 'utf8')).toBe('sesame');
  });

  it('reports an unusable directory', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    chmodSync(file, 0o400);
    expect(() => readOrCreateAppKey(file)).toThrow(/DATA_DIR must be a writable directory, and .*file is not/);
    expect(() => readOrCreateAppKey(join(file, 'below'))).toThrow(/DATA_DIR must be .*\(ENOTDIR\)/);
  });
});
