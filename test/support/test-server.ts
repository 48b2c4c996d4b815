import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseAddress } from '../../src/platform/database/connections/data-source.js';
import { onServer, withDatabase } from './server-statements.cjs';

/** The PostgreSQL server of the tests, from the global setup. */
export interface TestServer {
  readonly address: DatabaseAddress;
  /** Address for applications: the server or a pooler. */
  readonly way: DatabaseAddress;
  readonly template: string;
  /** Files of a migrated embedded PostgreSQL; null if the tests have none. */
  readonly cluster: string | null;
  /** STRATEGY clause for CREATE DATABASE. */
  readonly strategy: string;
}

export function testServer(): TestServer {
  return JSON.parse(process.env['LINTEL_TEST_SERVER'] ?? '{}') as TestServer;
}

/** Creates a database, migrated unless `empty`. `drop` also disconnects its clients. */
export async function createDatabase(empty = false): Promise<{ address: DatabaseAddress; drop: () => Promise<void> }> {
  const { address, way, template, strategy } = testServer();
  const name = `lintel_test_${randomBytes(6).toString('hex')}`;
  await onServer(address, `CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : template} ${strategy}`);
  return {
    address: withDatabase(way, name),
    drop: () => dropDatabase(address, name),
  };
}

/** Drops a database with its connections. Retries while a server worker, which the role may not terminate, is connected. */
async function dropDatabase(address: DatabaseAddress, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await onServer(address, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      return;
    } catch (error) {
      if (tries === 40) throw error;
      await delay(250);
    }
  }
}
