import { signedIn } from './people.js';
import { RoleSeeder } from '../../src/identity/users/roles/role-seeder.js';
import type { PermissionDefinition } from '../../src/identity/users/roles/permission-faults.js';
import { field, relation, schema } from './schema-definitions.js';
import type { TestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

export function magazine(): unknown[] {
  return [
    schema('post', [
      field('enum', 'status', { enums: [{ value: 'draft' }, { value: 'published' }], default: 'draft' }),
      field('text', 'body', { optional: true, searchable: true }),
      field('int', 'views', { default: 0 }),
      field('int64', 'big', { optional: true }),
      field('uint64', 'huge', { optional: true }),
      field('bytes', 'raw', { optional: true }),
      field('float64', 'score', { optional: true }),
      field('time', 'published_at', { optional: true }),
      field('bool', 'featured', { optional: true }),
      field('json', 'meta', { optional: true }),
      field('string', 'slug', { optional: true, unique: true }),
      field('string', 'secret', { optional: true, filterable: false, sortable: false }),
      field('uint8', 'rank', { optional: true, immutable: true }),
      relation('category', 'category', 'posts', 'm2o'),
      relation('tags', 'tag', 'posts', 'm2m', { owner: true }),
      relation('comments', 'comment', 'post', 'o2m', { owner: true }),
      relation('owner', 'user', 'articles', 'm2o'),
    ]),
    schema('category', [
      relation('posts', 'post', 'category', 'o2m', { owner: true }),
      relation('parent', 'category', 'children', 'm2o'),
      relation('children', 'category', 'parent', 'o2m', { owner: true }),
    ]),
    schema('tag', [relation('posts', 'post', 'tags', 'm2m')], { disable_timestamp: true }),
    schema('comment', [relation('post', 'post', 'comments', 'm2o')]),
  ];
}

/** Creates the schemas of {@link magazine} through the API. */
export async function makeMagazine(app: TestApp): Promise<{ root: TestClient; rootId: string }> {
  const { token, person } = await signedIn(app, { roles: ['admin'] });
  const root = app.as(token);
  await root.post('/api/schema?back_refs=create', { schemas: magazine() }).expect(201);
  return { root, rootId: person.id };
}

let counter = 0;

/** Signs in a new user with a new role that has exactly these permissions. */
export async function personWith(
  app: TestApp,
  permissions: readonly (Omit<PermissionDefinition, 'fields'> & Partial<PermissionDefinition>)[],
): Promise<{ client: TestClient; id: string; name: string }> {
  counter += 1;
  const name = `role${counter}`;
  const complete = permissions.map((permission) => ({ fields: null, ...permission }));
  await app.get(RoleSeeder).seed([{ name, permissions: complete }]);
  const { token, person } = await signedIn(app, { roles: [name] });
  return { client: app.as(token), id: person.id, name };
}
