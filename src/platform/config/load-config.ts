import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { readOrCreateAppKey } from './app-key.js';
import type { Config } from './config.types.js';
import { ConfigError, type Environment, parseConfig } from './parse-config.js';
import type { Variables } from './variables.js';

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
    throw new ConfigError([`the file ${path} must be readable, and it is not (${code})`]);
  }
}
