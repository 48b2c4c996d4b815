import type { Response } from 'supertest';
import { makeKey } from './api-keys.js';
import { createPerson, PASSWORD, type Person, signIn } from './people.js';
import { field, relation, schema } from './schema-definitions.js';
import type { TestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

export const ME = '/api/auth/me';

const required = (name: string, target: string, back: string, more: object): object => ({
  type: 'relation',
  name,
  relation: { schema: target, field: back, type: 'o2m', ...more },
});

/** Records that belong to users, with every erase option. `?back_refs=create` adds the inverse fields. */
const BELONGINGS = [
  schema('post', [
    relation('author', 'user', 'posts', 'o2m', { on_erase: 'delete' }),
    field('text', 'body', { optional: true }),
  ]),
  schema('comment', [
    relation('writer', 'user', 'comments', 'o2m'),
    relation('post', 'post', 'comments', 'o2m', { on_delete: 'cascade' }),
  ]),
  schema('invoice', [required('customer', 'user', 'invoices', { on_delete: 'cascade' })]),
  schema('vote', [relation('voter', 'user', 'votes', 'o2m', { on_erase: 'keep' })]),
  schema('seat', [relation('holder', 'user', 'seat', 'o2o', { on_erase: 'keep' })]),
  schema('club', [relation('members', 'user', 'clubs', 'm2m', { owner: true })]),
  schema('crew', [relation('hands', 'user', 'crews', 'm2m', { owner: true, on_erase: 'keep' })]),
  // Hooks observe these schemas, if the application has any.
  schema('diary', [relation('keeper', 'user', 'diaries', 'o2m', { on_erase: 'delete' })]),
  schema('letter', [relation('sender', 'user', 'letters', 'o2m')], { audit: true }),
  schema('draft', [relation('author', 'user', 'drafts', 'o2m', { on_erase: 'delete' })]),
  schema('review', [
    required('draft', 'draft', 'reviews', {}),
    relation('critic', 'user', 'reviews', 'o2m', { on_erase: 'delete' }),
  ]),
];

/** Creates the schemas of {@link BELONGINGS} through the API, and an administrator. */
export async function makeBelongings(app: TestApp): Promise<{ readonly root: TestClient; readonly person: Person }> {
  const person = await createPerson(app, { roles: ['admin'] });
  const root = app.as(await signIn(app, person));
  await root.post('/api/schema?back_refs=create', { schemas: BELONGINGS }).expect(201);
  return { root, person };
}

export async function make(root: TestClient, name: string, values: object): Promise<string> {
  const { body } = await root.post(`/api/content/${name}`, { title: `a ${name}`, ...values }).expect(201);
  return (body as { data: { id: string } }).data.id;
}

export function leave(client: TestClient, password: string | null = PASSWORD): PromiseLike<Response> {
  const request = client.delete(ME).set('content-type', 'application/json');
  return request.send(JSON.stringify(password === null ? {} : { current_password: password }));
}

/** Creates a user with two sessions and an API key. */
export async function settledPerson(app: TestApp, input: Parameters<typeof createPerson>[1] = {}) {
  const person = await createPerson(app, input);
  const [token, elsewhere] = [await signIn(app, person), await signIn(app, person)];
  const { key } = await makeKey(app, token);
  return { person, token, elsewhere, key, me: app.as(token) };
}
