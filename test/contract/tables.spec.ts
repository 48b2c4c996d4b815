import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RouteAccessInspector } from '../../src/identity/auth/access/route-access.inspector.js';
import { documentedDefault } from '../../src/platform/config/documentation.js';
import { createDataSource } from '../../src/platform/database/data-source.js';
import { Migrator } from '../../src/platform/database/migrator.js';
import { applicationTables, applicationVariables } from '../../src/app.module.js';
import { generatedFiles } from '../../src/application/generated-files.js';
import { errorCodes, errorRow } from '../../src/kernel/error-catalogue.js';
import { useTestApp } from '../support/test-app.js';
import { onServer } from '../support/server-statements.cjs';
import { createDatabase } from '../support/test-server.js';

const ROOT = join(__dirname, '../..');

describe('the tables against the world', () => {
  const world = useTestApp();

  it('every generated file is fresh', () => {
    for (const [name, text] of Object.entries(generatedFiles())) {
      expect({ name, text: readFileSync(join(ROOT, name), 'utf8') }).toEqual({ name, text });
    }
  });

  it('every route declares access, and every public write a limit', () => {
    const routes = world.app.get(RouteAccessInspector).list();
    expect(routes.length).toBeGreaterThan(10);
    expect(routes.filter((route) => route.access === undefined)).toEqual([]);
  });

  it('every error value has a status, a text, and a name of its own form', () => {
    expect(errorCodes().length).toBeGreaterThan(80);
    for (const code of errorCodes()) {
      const { status, message } = errorRow(code);
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(message).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('every variable of the specification is there with its default', () => {
    const specified: Record<string, string> = {
      AUTH_ENABLE_REFRESH_TOKEN: 'false',
      AUTH_REFRESH_TOKEN_LIFETIME: '604800',
      AUTH_ACCESS_TOKEN_LIFETIME: '604800 (900 when refresh is enabled)',
      AUTH_OTP_ENABLED: 'false',
      AUTH_OTP_LENGTH: '6',
      AUTH_OTP_EXPIRATION: '300',
      AUTH_OTP_MAX_ATTEMPTS: '3',
      AUTH_REG_ALLOWED_DOMAINS: '',
      AUTH_REG_BLOCKED_DOMAINS: '',
      AUTH_REG_RESERVED_USERNAMES: '',
      AUTH_CLI_LOGIN_ENABLED: 'false',
      AUTH_CLI_ALLOWED_REDIRECT_HOSTS: '',
      AUTH_DISABLE_LOCAL_LOGIN: 'false',
      AUTH_ADMIN_EMAILS: '',
    };
    const declared = applicationVariables().flatMap(({ variables }) => Object.entries(variables));
    const defaults = Object.fromEntries(declared.map(([name, variable]) => [name, documentedDefault(variable)]));
    expect(defaults).toMatchObject(specified);
  });

  it('migrations equal entities', async () => {
    const source = createDataSource({
      address: world.app.connection.address,
      entities: applicationTables().entities,
      poolSize: 2,
      statementTimeoutMs: 0,
    });
    await source.initialize();
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    await source.destroy();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('each migration has a moment of its own, so that all databases have them in one order', () => {
    const moments = applicationTables().migrations.map(({ name }) => name.slice(-13));
    expect(new Set(moments).size).toBe(moments.length);
  });

  it('migrations go up, down to nothing, and up again', async () => {
    const { address, drop } = await createDatabase(true);
    const migrator = new Migrator(address, applicationTables().migrations);
    const names = await migrator.up();
    expect(names.length).toBe((await migrator.status()).length);
    expect(await migrator.up()).toEqual([]);
    const reverted: (string | null)[] = [];
    for (const _ of names) reverted.push(await migrator.down());
    expect(reverted).toEqual([...names].reverse());
    expect(await migrator.down()).toBeNull();
    expect(await migrator.up()).toEqual(names);
    await drop();
  });

  it("migrations of a team's own in the same table stay, whichever is reverted", async () => {
    const { address, drop } = await createDatabase(true);
    const migrator = new Migrator(address, applicationTables().migrations);
    const names = await migrator.up();
    const own = (statement: string): Promise<unknown[]> => onServer(address, statement);
    await own(`INSERT INTO lintel_migrations (timestamp, name) VALUES (1795300000000, 'AcmeOrders1795300000000')`);
    expect(await migrator.down()).toBe(names.at(-1));
    expect(await migrator.down()).toBe(names.at(-2));
    expect(await migrator.up()).toEqual(names.slice(-2));
    expect(await own(`SELECT name FROM lintel_migrations WHERE name LIKE 'Acme%'`)).toHaveLength(1);
    for (const _ of names) await migrator.down();
    expect(await migrator.down()).toBeNull();
    expect(await own('SELECT name FROM lintel_migrations')).toEqual([{ name: 'AcmeOrders1795300000000' }]);
    await drop();
  });

  it('two instances that migrate at once apply each migration once', async () => {
    const { address, drop } = await createDatabase(true);
    const applied = await Promise.all([
      new Migrator(address, applicationTables().migrations).up(),
      new Migrator(address, applicationTables().migrations).up(),
      new Migrator(address, applicationTables().migrations).up(),
    ]);
    expect(applied.flat().length).toBe((await new Migrator(address, applicationTables().migrations).status()).length);
    await drop();
  });
});
