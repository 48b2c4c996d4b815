import type { Client, ClientConfig } from 'pg';
import { ADMIN_ROLE } from './cluster.js';

interface SessionOptions {
  /** `postgres` unless given */
  readonly database?: string;
  /** speaks the protocol of replication (PostgreSQL, chapter 54.4) */
  readonly replication?: boolean;
}

/** Runs work over a connection of the role that owns the cluster, at the address of a lease. */
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
  // A connection that breaks says so in the query that waits for it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Sets parameters of the server for good (`postgresql.auto.conf`) and has it read them; null takes one back. */
export async function alterSystem(client: Client, settings: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await client.query(
      value === null ? `ALTER SYSTEM RESET ${name}` : `ALTER SYSTEM SET ${name} = ${client.escapeLiteral(value)}`,
    );
  }
  await client.query('SELECT pg_reload_conf()');
}
