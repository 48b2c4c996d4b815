import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { readOrCreateAppKey } from './app-key.js';
import type { Config } from './config.types.js';
import { type Environment, parseConfig } from './parse-config.js';

/** The environment of the process, laid over the `.env` file of the working directory. The one place that reads either. */
export function readEnvironment(): Environment {
  return { ...readEnvFile('.env'), ...process.env };
}

/**
 * Parses the configuration and completes it with the application key of the data directory.
 *
 * @throws ConfigError with every fault at once; nothing was written then.
 */
export function loadConfig(environment: Environment): Config {
  const config = parseConfig(environment);
  return config.appKey === '' ? Object.freeze({ ...config, appKey: readOrCreateAppKey(config.dataDir) }) : config;
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8')) as Environment;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
