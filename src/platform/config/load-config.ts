import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from './config.types.js';
import { nearName } from '../../kernel/text/near-name.js';
import { ConfigError, type Environment, parseConfig } from './parse-config.js';
import type { Variables } from './variables.js';
import { createDirectories } from '../../../packages/embedded-postgres/src/embedded-postgres.js';

/**
 * Returns the environment of the process. Its variables override the `.env` file of the working directory.
 *
 * @throws ConfigError if `.env` exists and cannot be read.
 */
export function readEnvironment(): Environment {
  return { ...readEnvFile('.env'), ...process.env };
}

/**
 * Parses the configuration, and adds the application key of the data directory if `APP_KEY` is not set.
 *
 * @throws ConfigError with all faults. Nothing is written in that case.
 */
export function loadConfig(environment: Environment, declarations: readonly Variables[]): Config {
  const config = parseConfig(environment, declarations);
  return config.appKey === '' ? Object.freeze({ ...config, appKey: readOrCreateAppKey(config.dataDir) }) : config;
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8')) as Environment;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new ConfigError([`the file ${path} is not readable (${code})`]);
  }
}

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
    throw new ConfigError([`DATA_DIR must be a writable directory, and ${dataDir} is not (${code})`]);
  }
}

function readKeyOf(dataDir: string): string {
  const path = join(dataDir, 'app.key');
  createDirectories(dataDir);
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
      throw new ConfigError([`APP_KEY must have at least 32 bytes, and the key in ${path} has fewer`]);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const FORM = /^[A-Z][A-Z0-9_]*$/;
/** Shorter names may differ by one letter only, because most of them belong to other programs. */
const LONG_NAME = 8;

/** Warns about variables that are misspelt, or have a prefix of the application, such as `AUTH_OTP_`. Values are not included. */
export function unknownVariables(environment: Environment, declarations: readonly Variables[]): readonly string[] {
  const declared = declarations.flatMap(({ variables }) => Object.keys(variables));
  const names = new Set(declared);
  const prefixes = ownPrefixes(declared);
  return Object.keys(environment).flatMap((name) => {
    if (!FORM.test(name) || names.has(name) || (environment[name] ?? '') === '') return [];
    const isOwn = prefixes.has(prefixOf(name));
    const near = nearName(name, declared, isOwn ? undefined : name.length < LONG_NAME ? 1 : 2);
    if (near === undefined && !isOwn) return [];
    return [`Unknown variable ${name}.${near === undefined ? '' : ` Did you mean ${near}?`}`];
  });
}

/** Returns the two-word prefixes that several variables share. Other programs also use one-word prefixes such as `APP`. */
function ownPrefixes(names: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(prefixOf(name), (counts.get(prefixOf(name)) ?? 0) + 1);
  return new Set([...counts].filter(([prefix, count]) => prefix !== '' && count > 1).map(([prefix]) => prefix));
}

function prefixOf(name: string): string {
  return name
    .split('_')
    .slice(0, -1)
    .slice(0, 2)
    .join('_')
    .replace(/^[^_]*$/, '');
}
