import { createHash, randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { createDataSource, type DatabaseAddress } from '../platform/database/connections/data-source.js';
import { acquireEmbedded } from '../platform/database/connections/database-connection.js';
import { migrate } from '../platform/database/migrations/migrator.js';
import type { ApplicationTables } from '../platform/database/tables.decorator.js';

export interface TestDatabase {
  readonly address: DatabaseAddress;
  drop(): Promise<void>;
}

const TEST = 'lintel_testing_';
const TEMPLATE = 'lintel_testing_template_';
/** Any fixed number: one lock for all processes that create templates on a server. */
const TEMPLATE_LOCK = 724_150_312;
/** A database that still exists after this time is not in use any more. */
const ABANDONED_MS = 86_400_000;
/** A template is dropped if no process has used it for this time. */
const UNUSED_MS = 30 * ABANDONED_MS;
/** Up to 10 seconds: DROP cannot terminate a worker of the server itself, so it has to wait. */
const DROP_TRIES = 40;
const DROP_PAUSE_MS = 250;

let embedded: Promise<DatabaseAddress> | undefined;
const templates = new Map<string, Promise<void>>();

/**
 * Creates a database as a copy of a migrated template, which the first process creates.
 *
 * @param url URL of a server whose user may create databases. Default: an embedded server in the `node_modules` of the application.
 */
export async function createTestDatabase(tables: ApplicationTables, url?: string): Promise<TestDatabase> {
  const server = url === undefined ? await (embedded ??= acquireTestServer()) : { url };
  const template = templateName(tables);
  const cacheKey = `${server.url} ${template}`;
  const created = templates.get(cacheKey) ?? ensureTemplate(server, template, tables);
  templates.set(cacheKey, created);
  try {
    await created;
  } catch (error) {
    templates.delete(cacheKey);
    throw error;
  }
  return copyDatabase(server, template);
}

async function copyDatabase(server: DatabaseAddress, template: string): Promise<TestDatabase> {
  const name = `${TEST}${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`;
  await onServer(server, (manager) => manager.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return { address: addressOf(server, name), drop: () => dropDatabase(server, name) };
}

async function dropDatabase(server: DatabaseAddress, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await onServer(server, (manager) => manager.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
      return;
    } catch (error) {
      if (tries === DROP_TRIES) throw error;
      await delay(DROP_PAUSE_MS);
    }
  }
}

/** Creates the template if it does not exist. The lock lets one process do it, and the rename makes only a complete template visible. */
async function ensureTemplate(server: DatabaseAddress, name: string, tables: ApplicationTables): Promise<void> {
  await onServer(server, async (manager) => {
    await manager.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    await dropUnused(manager, name);
    const rows = await manager.query<unknown[]>('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rows.length === 0) {
      const draft = `${name}_draft`;
      await manager.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
      await manager.query(`CREATE DATABASE ${draft} TEMPLATE template0`);
      await migrate(addressOf(server, draft), tables);
      await manager.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
    }
    await manager.query(`COMMENT ON DATABASE ${name} IS '${Date.now()}'`);
  });
}

async function dropUnused(manager: EntityManager, keptName: string): Promise<void> {
  const names = await manager.query<{ name: string; used: string | null }[]>(
    `SELECT datname AS name, shobj_description(oid, 'pg_database') AS used FROM pg_database d
     WHERE starts_with(datname, $1) AND datname <> $2
       AND pg_has_role(datdba, 'USAGE') AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.datid = d.oid)`,
    [TEST, keptName],
  );
  const unused = names.filter(({ name, used }) => {
    if (name.startsWith(TEMPLATE)) return Number(used ?? '') < Date.now() - UNUSED_MS;
    return Number.parseInt(name.slice(TEST.length), 36) < Date.now() - ABANDONED_MS;
  });
  // Another process may drop it first, or begin to use it.
  for (const { name } of unused) await manager.query(`DROP DATABASE IF EXISTS ${name}`).catch(() => undefined);
}

export function templateName({ migrations, own }: ApplicationTables): string {
  const texts = [...migrations, ...own.migrations].map((migration) => `${migration.name} ${migration.toString()}`);
  return TEMPLATE + createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
}

async function onServer<T>(address: DatabaseAddress, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  const source = createDataSource({ address, entities: [], poolSize: 1, statementTimeoutMs: 0 });
  await source.initialize();
  try {
    return await work(source.createQueryRunner().manager);
  } finally {
    await source.destroy();
  }
}

async function acquireTestServer(): Promise<DatabaseAddress> {
  const { url } = await acquireEmbedded(join(cacheDirectory(process.cwd()), 'postgres'));
  return { url };
}

/** Returns a directory in the nearest writable `node_modules`, or else in the temporary directory. */
function cacheDirectory(from: string): string {
  const packages = join(from, 'node_modules');
  if (existsSync(packages) && isWritable(packages)) return join(packages, '.cache/lintel-testing');
  const above = dirname(from);
  return above === from ? join(tmpdir(), `lintel-testing-${process.getuid?.() ?? 'user'}`) : cacheDirectory(above);
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function addressOf(server: DatabaseAddress, database: string): DatabaseAddress {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}
