import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { basePathOf } from '../../kernel/addresses/base-path.js';
import { LANGUAGES } from '../../kernel/text/language.js';
import {
  parseBaseAddress,
  parseInteger,
  parseLine,
  parseOneOf,
  type Parser,
  parseSecret,
  parseSecrets,
  ValueFault,
} from './parsers.js';
import { defineVariables } from './variables.js';

/** @internal */
const MOST_WORKERS = 64;
/** Limit of `auto` only: more workers would use up the connections of the embedded database. @internal */
const MOST_AUTOMATIC_WORKERS = 8;

const parseWorkers: Parser<number> = (text) => {
  if (text === 'auto') return Math.min(MOST_AUTOMATIC_WORKERS, availableParallelism());
  if (!/^\d{1,2}$/.test(text)) throw new ValueFault(`be a whole number from 1 to ${MOST_WORKERS}, or auto`);
  return parseInteger(1, MOST_WORKERS)(text);
};

export const SERVICE_VARIABLES = defineVariables(
  'Service',
  {
    NODE_ENV: {
      default: 'development',
      parse: parseOneOf('development', 'test', 'production'),
      meaning: '`production` demands `APP_KEY`, and mail where a feature needs it',
    },
    PORT: { default: 8000, parse: parseInteger(0, 65_535), meaning: 'port to listen on; 0 takes a free one' },
    HOST: {
      defaultText: '127.0.0.1 (0.0.0.0 in production)',
      inForce: ({ host }) => host,
      parse: parseLine,
      meaning: 'address to listen on',
    },
    WORKERS: {
      default: 1,
      parse: parseWorkers,
      meaning:
        'processes of this machine that answer on the one port, 1 to 64; `auto` is one for each processor, 8 at most. More than one are watched over and started again by another',
    },
    APP_URL: {
      defaultText: 'http://localhost:$PORT',
      inForce: ({ appUrl }) => appUrl,
      parse: parseBaseAddress,
      meaning:
        'public base address, with a path if a proxy serves Lintel below one (`https://example.com/backend`); links in mails, redirect URIs, cookie paths and the token issuer derive from it',
    },
    APP_NAME: { default: 'Lintel', parse: parseLine, meaning: 'name shown in mails and on pages' },
    APP_LANGUAGE: {
      default: LANGUAGES[0],
      parse: parseOneOf(...LANGUAGES),
      meaning: `language of mails and pages for whoever asks for none that there is: ${LANGUAGES.join(' or ')}`,
    },
    APP_KEY: {
      defaultText: 'made at the first start, kept in $DATA_DIR/app.key',
      secret: true,
      parse: parseSecret(32),
      meaning:
        '32 bytes or more; every signing and hashing key derives from it, and a change ends all sessions. Required in production',
    },
    APP_KEY_PREVIOUS: {
      default: [],
      defaultText: '',
      secret: true,
      parse: parseSecrets(32),
      meaning:
        'keys that `APP_KEY` had before, with commas between them, or a JSON list; they open what survives a change of key: owed mails, stored secrets. `keys:rotate` makes them unnecessary',
    },
    DATA_DIR: {
      default: './data',
      inForce: ({ dataDir }) => dataDir,
      parse: parseLine,
      meaning: 'embedded database, schema files, uploaded files, plugins, captured mail',
    },
    LOG_LEVEL: {
      default: 'info',
      parse: parseOneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      meaning: 'least level that is logged: fatal, error, warn, info, debug, trace or silent',
    },
  },
  {
    settings: (values) => {
      const appUrl = values.APP_URL ?? `http://localhost:${values.PORT}`;
      const production = values.NODE_ENV === 'production';
      return {
        production,
        port: values.PORT,
        workers: values.WORKERS,
        seat: null,
        host: values.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
        appUrl,
        basePath: basePathOf(appUrl),
        appName: values.APP_NAME,
        appLanguage: values.APP_LANGUAGE,
        appKey: values.APP_KEY ?? '',
        appKeysPrevious: values.APP_KEY_PREVIOUS,
        dataDir: resolve(values.DATA_DIR),
        logLevel: values.LOG_LEVEL,
      };
    },
    faults: ({ production, appKey }) => (production && appKey === '' ? ['APP_KEY must be set in production'] : []),
  },
);
