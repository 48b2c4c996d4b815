import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseAddress } from '../../src/platform/database/connections/data-source.js';
import { onServer, withDatabase } from './server-statements.cjs';

/** The PostgreSQL server that the tests use, as the global set-up found or started it. */
export interface TestServer {
  readonly address: DatabaseAddress;
  /** Address by which applications reach it: its own, or that of a pooler. */
  readonly way: DatabaseAddress;
  /** A database with every migration, to copy. */
  readonly template: string;
  /** The files of an embedded PostgreSQL of the product with every migration, to copy; null if the tests have none. */
  readonly cluster: string | null;
  /** Strategy of copying it, as CREATE DATABASE says it. */
  readonly strategy: string;
}

/** Returns the server of this run. */
export function testServer(): TestServer {
  return JSON.parse(process.env['LINTEL_TEST_SERVER'] ?? '{}') as TestServer;
}

/** Returns a fresh database; `drop` removes it with whoever is still connected. With every migration unless `empty`. */
export async function createDatabase(empty = false): Promise<{ address: DatabaseAddress; drop: () => Promise<void> }> {
  const { address, way, template, strategy } = testServer();
  const name = `lintel_test_${randomBytes(6).toString('hex')}`;
  await onServer(address, `CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : template} ${strategy}`);
  return {
    address: withDatabase(way, name),
    drop: () => dropDatabase(address, name),
  };
}

/** Drops a database with whoever is connected; a worker of the server itself, which we may not end, is waited for. */
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
