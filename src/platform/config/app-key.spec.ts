import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOrCreateAppKey } from './app-key.js';

describe('the application key of a data directory', () => {
  let directory = '';

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lintel-key-'));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is made once, of 32 random bytes, readable for its owner only', () => {
    const dataDir = join(directory, 'deep/data');
    const key = readOrCreateAppKey(dataDir);
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(statSync(join(dataDir, 'app.key')).mode & 0o777).toBe(0o600);
    expect(readOrCreateAppKey(dataDir)).toBe(key);
    expect(readdirSync(dataDir)).toEqual(['app.key']);
    expect(readOrCreateAppKey(join(directory, 'other'))).not.toBe(key);
  });

  it('is taken as it is found, but for the line break', () => {
    writeFileSync(join(directory, 'app.key'), `${'k'.repeat(40)}\r\n`);
    expect(readOrCreateAppKey(directory)).toBe('k'.repeat(40));
  });

  it('is never replaced, however short it is', () => {
    const path = join(directory, 'app.key');
    writeFileSync(path, 'sesame');
    expect(() => readOrCreateAppKey(directory)).toThrow(/APP_KEY must have at least 32 bytes/);
    expect(() => readOrCreateAppKey(directory)).not.toThrow(/sesame/);
    expect(readFileSync(path, 'utf8')).toBe('sesame');
  });

  it('says what is wrong with a directory that cannot have one', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    chmodSync(file, 0o400);
    expect(() => readOrCreateAppKey(file)).toThrow(
      /DATA_DIR must be a directory that can be written, and .*file is not/,
    );
    expect(() => readOrCreateAppKey(join(file, 'below'))).toThrow(/DATA_DIR must be .*\(ENOTDIR\)/);
  });
});
