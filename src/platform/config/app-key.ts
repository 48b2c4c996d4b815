import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectories } from '../../../packages/embedded-postgres/src/embedded-postgres.js';
import { ConfigError } from './parse-config.js';

/**
 * Returns the key in `$DATA_DIR/app.key` (mode 0600), and creates it at the first start. Two first starts at the same time agree on one
 * key: the complete file is linked into place, which fails if the file exists.
 *
 * @throws ConfigError if the directory or the file cannot be used.
 */
export function readOrCreateAppKey(dataDir: string): string {
  try {
    return readKeyOf(dataDir);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`DATA_DIR must be a directory that can be written, and ${dataDir} is not (${code})`]);
  }
}

function readKeyOf(dataDir: string): string {
  const path = join(dataDir, 'app.key');
  makeDirectories(dataDir);
  const found = readKey(path);
  if (found !== null) return found;
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKey(path) ?? '';
}

function readKey(path: string): string | null {
  try {
    const key = readFileSync(path, 'utf8').trim();
    if (Buffer.byteLength(key) < 32)
      throw new ConfigError([`APP_KEY must have at least 32 bytes, and the one in ${path} has fewer`]);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
