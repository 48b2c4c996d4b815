import { Injectable, Module } from '@nestjs/common';
import { ContentCheck } from '../../../src/data/content/access/content-check.service.js';
import { BeforeWrite } from '../../../src/identity/records/record-hooks.decorators.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeKey } from '../../support/api-keys.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

@Injectable()
class Hooks {
  @BeforeWrite('usr')
  check(): void {}
}

@Module({ providers: [Hooks] })
class HooksModule {}

describe('names of missing schemas', () => {
  const world = useTestApp({
    modules: [HooksModule],
    definition: { roles: [{ role: 'user', allow: ['content.userz.list', 'content.user.list', 'content.*'] }] },
  });
  const warnings = () =>
    world.app.log
      .map((line) => JSON.parse(line) as { msg: string; place?: string; hook?: string; suggestion?: string })
      .filter(({ msg }) => msg.includes('Check the spelling'))
      .map(({ place, hook, suggestion }) => [place ?? hook, suggestion]);
  const GRANT = ['the permission content.userz.list of the role user', 'user'];

  it('are logged at the start, with the likely name: grants and hooks', () => {
    expect(warnings()).toEqual([['Hooks.check', 'user'], GRANT]);
  });

  it('are logged for roles files, scopes of API keys and saved views', async () => {
    const row = (resource: string) => ({ resource, value: 'allow', fields: null });
    await world.app
      .get(RoleSeeder)
      .seed([{ name: 'auditor', permissions: ['content.rols.get', 'content.*', 'acme.nope', '*'].map(row) }]);
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const scopes = ['content.filez.*', 'content.file.list', 'auth.nope'].map((resource) => ({ resource }));
    const { prefix } = await makeKey(world.app, token, { scopes });
    await makeKey(world.app, token);
    for (const schema of ['xylophones', 'user'])
      await world.app
        .as(token)
        .post('/api/content/views', { name: `all ${schema}`, schema, query: {} })
        .expect(201);
    world.app.log.length = 0;
    await world.app.get(ContentCheck).reportUnknownSchemas();
    const found = warnings();
    expect(found).toHaveLength(4);
    expect(found).toEqual(
      expect.arrayContaining([
        ['the permission content.rols.get of the role auditor', 'role'],
        [`the scope content.filez.* of the API key ${prefix}`, 'file'],
        ['the saved view all xylophones', undefined],
        GRANT,
      ]),
    );
  });
});
