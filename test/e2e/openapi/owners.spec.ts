import type { Response } from 'supertest';
import { makeMagazine } from '../../support/content-fixture.js';
import { DocumentInHand } from '../../support/openapi-document.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** Parts that each module declares, and that the document collects. */
describe('the document', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  it('has its groups in the order of the modules: sign-in first, the service last', async () => {
    const document = await DocumentInHand.of(root);
    const groups = document.json['tags'] as { name: string; 'x-schema'?: string }[];
    expect(groups.filter((group) => group['x-schema'] === undefined).map(({ name }) => name)).toEqual([
      'Account',
      'Password',
      'Mailed code',
      'Provider',
      'Web app',
      'Native app',
      'Second factors',
      'Schemas',
      'Access',
      'Batch',
      'API keys',
      'Files',
      'Bulk changes',
      'Imports',
      'Operations',
      'Service',
    ]);
  });

  it("lists the errors of a schema's owner at its schemas only", async () => {
    const document = await DocumentInHand.of(root);
    const conflicts = (method: string, path: string): string => {
      const response = document.paths[path]![method]!.responses['409'] as { $ref: string } | undefined;
      return JSON.stringify(document.components['responses']![response?.$ref.split('/').at(-1) ?? ''] ?? '');
    };
    for (const name of ['users', 'roles']) {
      expect(conflicts('patch', `/api/content/${name}/{id}`)).toContain('last_root_account');
      expect(conflicts('delete', `/api/content/${name}/{id}`)).toContain('last_root_account');
      expect(conflicts('get', `/api/content/${name}/{id}`)).not.toContain('last_root_account');
    }
    for (const name of ['posts', 'permissions'])
      expect(conflicts('patch', `/api/content/${name}/{id}`)).not.toContain('last_root_account');
  });

  it('lists the parameters of schema routes at these routes only', async () => {
    const document = await DocumentInHand.of(root);
    const routes = document
      .operations()
      .filter(({ path }) => path.startsWith('/api/schema') && path !== '/api/schema/definition.json');
    expect(routes.length).toBeGreaterThan(9);
    const every = ['back_refs', 'allow_data_loss', 'allow_rebuild', 'plan', 'remove', 'format', 'limit', 'before'];
    for (const { method, path, parameters = [] } of routes) {
      const documented = parameters.flatMap((one) => (one['in'] === 'query' ? [one['name'] as string] : []));
      const taken: string[] = [];
      for (const name of every) {
        // For an accepted parameter, the value is refused. For any other parameter, the name is.
        const ask = (root as unknown as Record<string, (path: string, body?: object) => Promise<Response>>)[method]!;
        const { body } = await ask.call(root, `${path.replace('{name}', 'tag')}?${name}=~`, {});
        if ((body as { data: { error: string } }).data.error !== 'query_invalid') taken.push(name);
      }
      expect([method, path, documented.sort()]).toEqual([method, path, taken.sort()]);
    }
  });
});
