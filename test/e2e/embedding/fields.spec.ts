import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module } from '@nestjs/common';
import { DataSource, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { applicationTables } from '../../../src/app.module.js';
import type { AppDefinition } from '../../../src/application/app-definition.js';
import { createApp, StartError } from '../../../src/application/create-app.js';
import { DeclaresResources, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import { defineError } from '../../../src/kernel/errors/define-error.js';
import { Migrator, ownMigrator } from '../../../src/platform/database/migrations/migrator.js';
import { Throws } from '../../../src/platform/http/output/documentation.decorators.js';
import { signedIn } from '../../support/people.js';
import { TestApp, type TestAppOptions } from '../../support/test-app.js';
import { createDatabase } from '../../support/test-server.js';

const EmptyPot = defineError('acme_empty_pot', { status: 409, message: 'The pot is empty.' });

@Entity('acme_pots')
class Pot {
  @PrimaryColumn('text') name: string;
}

class Pots1795300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE acme_pots (name text PRIMARY KEY)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE acme_pots');
  }
}

@Controller('api/acme/pots')
class PotController {
  constructor(private readonly source: DataSource) {}

  @Get()
  @Resource('acme.pots.list')
  @Throws(EmptyPot)
  async list(): Promise<unknown> {
    const pots = await this.source.getRepository(Pot).find();
    if (pots.length === 0) throw new EmptyPot({ details: { pots: 0 } });
    return pots;
  }
}

@DeclaresResources('acme.pots.list')
@Module({ controllers: [PotController] })
class PotModule {}

const TABLES = { entities: [Pot], migrations: [Pots1795300000000] };
const modules = [PotModule];

async function startFault(definition: object, rest: TestAppOptions = { modules }): Promise<string> {
  try {
    await (await TestApp.start({ ...rest, definition })).stop();
  } catch (error) {
    expect((error as Error).name).toBe('DefinitionError');
    return (error as Error).message;
  }
  throw new Error('It started.');
}

describe('the fields of a definition', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-shipped-'));
  const recipe = {
    name: 'recipe',
    namespace: 'recipes',
    label_field: 'title',
    fields: [{ type: 'string', name: 'title' }],
  };
  const definition: AppDefinition = {
    ...TABLES,
    schemas: [directory],
    roles: [
      { role: 'user', allow: ['acme.pots.*'] },
      { role: 'cook', description: 'Cooks', allow: ['acme.pots.list', 'content.recipes.list'] },
    ],
    registration: { reservedUsernames: ['chef'] },
    errors: [EmptyPot],
  };
  let app: TestApp;

  beforeAll(async () => {
    writeFileSync(join(directory, 'recipe.json'), JSON.stringify(recipe));
    app = await TestApp.start({ modules, definition });
  });
  afterAll(async () => {
    await app?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('grant permissions and return their own errors, also in the document', async () => {
    const { token } = await signedIn(app, { roles: ['user'] });
    const { body } = await app.as(token).get('/api/acme/pots').expect(409);
    expect(body).toEqual({ code: '409', message: 'The pot is empty.', data: { error: 'acme_empty_pot', pots: 0 } });
    const { body: document } = await app.as(token).get('/api/openapi.json').expect(200);
    const { $ref } = document.paths['/api/acme/pots'].get.responses['409'] as { $ref: string };
    expect(JSON.stringify(document.components.responses[$ref.split('/').at(-1)!])).toContain('acme_empty_pot');
  });

  it('create the shipped schemas before those of the operator', async () => {
    expect(await app.sql(`SELECT to_regclass('recipes')::text AS there`)).toEqual([{ there: 'recipes' }]);
    expect(await app.sql(`SELECT name FROM schema_files`)).toEqual([
      { name: expect.stringMatching(/^TheDefinition\/.*\/recipe\.json$/) },
    ]);
  });

  it('change nothing at the second start and keep changes by administrators', async () => {
    await app.sql(`UPDATE permissions SET value = 'deny' WHERE resource = 'acme.pots.*'`);
    await app.sql(`DELETE FROM permissions WHERE resource = 'acme.pots.list'`);
    const second = await app.secondInstance({ modules, definition });
    expect(await app.sql(`SELECT resource, value FROM permissions WHERE resource LIKE 'acme%' ORDER BY 1`)).toEqual([
      { resource: 'acme.pots.*', value: 'deny' },
      { resource: 'acme.pots.list', value: 'allow' },
    ]);
    await second.stop();
    await app.sql(`UPDATE permissions SET value = 'allow' WHERE resource = 'acme.pots.*'`);
  });

  it('have migrations that run up and down independently', async () => {
    const { address, drop } = await createDatabase(true);
    const tables = applicationTables(definition);
    const [service, own] = [new Migrator(address, tables.migrations), ownMigrator(address, tables)];
    expect(await own.up()).toEqual(['Pots1795300000000']);
    const ours = await service.up();
    expect(ours).not.toContain('Pots1795300000000');
    expect(await service.down()).toBe(ours.at(-1));
    expect(await own.down()).toBe('Pots1795300000000');
    expect(await own.down()).toBeNull();
    expect(await own.status()).toEqual([{ name: 'Pots1795300000000', applied: false }]);
    await drop();
  });

  it('are part of the readiness probe', async () => {
    await app.asGuest().get('/readyz').expect(200);
    await app.sql('DELETE FROM app_migrations');
    await app.asGuest().get('/readyz').expect(503);
    await app.sql(`INSERT INTO app_migrations (timestamp, name) VALUES (1795300000000, 'Pots1795300000000')`);
  });

  it('protect their tables from schemas', async () => {
    const { token } = await signedIn(app, { roles: ['admin'] });
    const answer = await app.as(token).post('/api/schema', { ...recipe, name: 'pot', namespace: 'app_migrations' });
    expect(JSON.stringify(answer.body)).toContain('schema.namespace.reserved');
  });
});

describe('an invalid definition', () => {
  it.each<[string, object, string]>([
    ['an unknown field', { module: [] }, 'The definition has no field module; it has modules, ports,'],
    ['a field that is not a list', { migrations: Pots1795300000000 }, 'migrations of the definition must be a list.'],
    ['an entity that is no class', { entities: ['Pot'] }, 'entities of the definition must be a list of classes.'],
    [
      'an entity without a migration',
      { entities: [Pot] },
      'The entity Pot has no table acme_pots. Add a migration that creates it to the definition.',
    ],
    [
      'a class that is no entity',
      { entities: [class Pan {}] },
      `Pan is not an entity. Decorate it with @Entity('its_table').`,
    ],
    [
      'a migration without its time',
      { migrations: [class Pans {}] },
      'The migration Pans must have a name that ends with a timestamp in milliseconds, such as Pans',
    ],
    [
      'a grant of a resource that no module declares',
      { roles: [{ role: 'user', allow: ['acme.pot.list'] }] },
      'The role user is granted acme.pot.list, which no module declares as a resource. Check the spelling.',
    ],
    [
      'a grant of a prefix of none',
      { roles: [{ role: 'user', allow: ['acme.pan.*'] }] },
      'The role user is granted acme.pan.*, which no module declares as a resource. Check the spelling.',
    ],
    [
      'a grant without a role',
      { roles: [{ role: 'usr', allow: ['acme.pots.list'] }] },
      'The role usr does not exist. Add a description to the grant to create it.',
    ],
    [
      'schemas of nowhere',
      { schemas: ['/nowhere/schemas'] },
      'TheDefinition lists schemas in /nowhere/schemas, but this directory does not exist.',
    ],
    [
      'two policies',
      { registration: { normalizeEmail: true }, modules: undefined },
      'Two modules set normalizeEmail with RegistrationPolicyModule.forRoot to different values. Set it in one module only.',
    ],
    [
      'an error of another kind',
      { errors: [class Oops extends Error {}] },
      'errors contains an entry that is not a result of defineError().',
    ],
  ])('%s stops the start with one message', async (_, definition, sentence) => {
    const { RegistrationPolicyModule } =
      await import('../../../src/identity/registration-policy/registration-policy.module.js');
    @Module({ imports: [RegistrationPolicyModule.forRoot({ normalizeEmail: false })] })
    class PolicyModule {}
    const both = 'registration' in definition ? { ...definition, modules: [PolicyModule] } : definition;
    expect(await startFault(both)).toContain(sentence);
  });
});

describe('createApp', () => {
  it('creates an application with everything that a start does, and closes it', async () => {
    const { address, drop } = await createDatabase(true);
    const dataDir = mkdtempSync(join(tmpdir(), 'lintel-made-'));
    const env = { DATABASE_URL: address.url, DATA_DIR: dataDir, LOG_LEVEL: 'silent', APP_KEY: 'k'.repeat(40) };
    const application = await createApp({ modules, ...TABLES }, env);
    const url = await application.listen({ host: '127.0.0.1', port: 0 });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await application.get(DataSource).query('SELECT count(*)::int AS n FROM roles')).toEqual([{ n: 3 }]);
    await application.close();
    await expect(fetch(`${url}/readyz`)).rejects.toThrow('fetch failed');
    await expect(createApp({ entities: [Pot] }, { ...env, PORT: 'x' })).rejects.toThrow(StartError);
    await expect(createApp({}, { ...env, PORT: 'x' })).rejects.toThrow(
      /^The configuration is not valid:\n {2}- PORT must/,
    );
    await expect(createApp({ roles: [{ role: 'user', allow: ['acme.x'] }] }, env)).rejects.toThrow(
      /^The role user is granted acme\.x, which no module declares as a resource\. Check the spelling\.$/,
    );
    rmSync(dataDir, { recursive: true, force: true });
    await drop();
  });
});
