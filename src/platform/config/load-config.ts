import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { readOrCreateAppKey } from './app-key.js';
import type { Config } from './config.types.js';
import { ConfigError, type Environment, parseConfig } from './parse-config.js';
import type { Variables } from './variables.js';

/**
 * Returns the environment of the process, laid over the `.env` file of the working directory. The one place that reads either.
 *
 * @throws ConfigError where there is a `.env` that cannot be read.
 */
export function readEnvironment(): Environment {
  return { ...readEnvFile('.env'), ...process.env };
}

/**
 * Parses the configuration and completes it with the application key of the data directory.
 *
 * @param declarations the variables of the modules.
 * @throws ConfigError with every fault at once; nothing was written then.
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
