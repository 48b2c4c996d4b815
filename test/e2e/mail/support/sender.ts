import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Environment } from '../../../../src/platform/config/parse-config.js';
import type { DatabaseAddress } from '../../../../src/platform/database/data-source.js';
import type { Mail } from '../../../../src/platform/mail/mailer.port.js';

/** A key that services in several processes share. */
export const SHARED_KEY = 'one key for every process of this test';

const BASE: Environment = { NODE_ENV: 'test', APP_KEY: SHARED_KEY, APP_URL: 'http://lintel.test' };

/** Starts a service in a process of its own, which commits a mail and says so: see `sender.mjs`. */
export function startSender(
  address: DatabaseAddress,
  environment: Environment,
  mail: Mail,
): ChildProcessByStdio<null, Readable, Readable> {
  const parts = [address, { ...BASE, ...environment }, mail].map((part) => JSON.stringify(part));
  return spawn(process.execPath, [join(__dirname, 'sender.mjs'), ...parts], { stdio: ['ignore', 'pipe', 'pipe'] });
}
