import { ADMIN_ROLE } from './cluster.js';
import type { ServerAddress } from './server-process.js';

/** Creates the role and the database of the application, if they are missing. The role is no superuser. */
export async function ensureDatabase(address: ServerAddress, name: string, password?: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ ...address, user: ADMIN_ROLE, password, database: ADMIN_ROLE });
  // The pending query reports a lost connection.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
    if (roles.rowCount === 0) {
      const login = password === undefined ? '' : ` PASSWORD ${client.escapeLiteral(password)}`;
      await client.query(`CREATE ROLE ${name} LOGIN CREATEDB${login}`);
    }
    const databases = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (databases.rowCount === 0) await client.query(`CREATE DATABASE ${name} OWNER ${name}`);
  } finally {
    await client.end();
  }
}
