import type { Client, ClientConfig } from 'pg';
import { ADMIN_ROLE } from './cluster.js';

interface SessionOptions {
  /** Default: `postgres`. */
  readonly database?: string;
  /** Whether to use the replication protocol (PostgreSQL, chapter 54.4). */
  readonly replication?: boolean;
}

export async function withAdmin<T>(
  url: string,
  work: (client: Client) => Promise<T>,
  { database = ADMIN_ROLE, replication = false }: SessionOptions = {},
): Promise<T> {
  const { default: pg } = await import('pg');
  const address = new URL(url);
  const settings: ClientConfig & { replication?: string } = {
    host: decodeURIComponent(address.hostname),
    port: Number(address.port),
    user: ADMIN_ROLE,
    password: decodeURIComponent(address.password) || undefined,
    database,
    ...(replication && { replication: 'true' }),
  };
  const client = new pg.Client(settings);
  // The pending query reports a lost connection.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Sets server parameters permanently (`postgresql.auto.conf`), and reloads the configuration; null resets a parameter. */
export async function alterSystem(client: Client, settings: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await client.query(
      value === null ? `ALTER SYSTEM RESET ${name}` : `ALTER SYSTEM SET ${name} = ${client.escapeLiteral(value)}`,
    );
  }
  await client.query('SELECT pg_reload_conf()');
}
