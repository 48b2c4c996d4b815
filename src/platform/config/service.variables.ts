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
} from './config.public.js';
import { defineVariables } from './variables.js';

/** @internal */
const MAX_WORKERS = 64;
/** Limit of `auto` only: more workers would use up the connections of the embedded database. @internal */
const MAX_AUTOMATIC_WORKERS = 8;

const parseWorkers: Parser<number> = (text) => {
  if (text === 'auto') return Math.min(MAX_AUTOMATIC_WORKERS, availableParallelism());
  if (!/^\d{1,2}$/.test(text)) throw new ValueFault(`be a whole number from 1 to ${MAX_WORKERS}, or auto`);
  return parseInteger(1, MAX_WORKERS)(text);
};

export const SERVICE_VARIABLES = defineVariables(
  'Service',
  {
    NODE_ENV: {
      default: 'development',
      parse: parseOneOf('development', 'test', 'production'),
      meaning: '`production` requires `APP_KEY`, and `MAIL_URL` for features that send mail',
    },
    PORT: { default: 8000, parse: parseInteger(0, 65_535), meaning: 'port to listen on; 0 selects a free port' },
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
        'number of processes that share the port, 1 to 64; `auto` is one per processor, at most 8. With more than one, a supervisor process restarts them',
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
      meaning: `language of mails and pages if the requested language is not available: ${LANGUAGES.join(' or ')}`,
    },
    APP_KEY: {
      defaultText: 'created at the first start in $DATA_DIR/app.key',
      secret: true,
      parse: parseSecret(32),
      meaning:
        'secret of at least 32 bytes, from which all signing, hashing and encryption keys are derived; a change revokes all sessions. Required in production',
    },
    APP_KEY_PREVIOUS: {
      default: [],
      defaultText: '',
      secret: true,
      parse: parseSecrets(32),
      meaning:
        'previous values of `APP_KEY`, separated by commas or as a JSON list; they decrypt pending mails and stored secrets until `keys:rotate` has re-encrypted them',
    },
    DATA_DIR: {
      default: './data',
      inForce: ({ dataDir }) => dataDir,
      parse: parseLine,
      meaning: 'directory of the embedded database, schema files, uploaded files, plugins and captured mail',
    },
    LOG_LEVEL: {
      default: 'info',
      parse: parseOneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      meaning: 'minimum log level: fatal, error, warn, info, debug, trace or silent',
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
