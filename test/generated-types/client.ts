/** A front end with openapi-fetch. `run.mjs` compiles it with the generated types, but does not run it. */
import createClient from 'openapi-fetch';
import type { components, paths } from './admin';
import type { paths as GuestPaths } from './guest';
import type { paths as UserPaths } from './user';

type Schemas = components['schemas'];

const root = createClient<paths>({ baseUrl: 'http://localhost:8000' });
const guest = createClient<GuestPaths>({ baseUrl: 'http://localhost:8000' });
const user = createClient<UserPaths>({ baseUrl: 'http://localhost:8000' });

/** Lists are typed as arrays. The service accepts comma-separated and repeated values. */
export async function titles(): Promise<(string | undefined)[]> {
  const { data } = await guest.GET('/api/content/posts', {
    params: { query: { select: ['title', 'author.name'], sort: ['-published_at', 'author.name'], limit: 5 } },
  });
  return data?.data.items?.map(({ title }) => title) ?? [];
}

export async function write(author: string, category: string): Promise<Schemas['Post'] | undefined> {
  const post: Schemas['PostCreate'] = {
    title: 'Soup',
    slug: 'soup',
    body: 'Boil.',
    author,
    category,
    published_at: 'now',
  };
  await user.POST('/api/content/posts', { body: { title: 'Soup', slug: 'soup', body: 'Boil.', author, category } });
  const { data } = await root.PATCH('/api/content/posts/{id}', {
    params: { path: { id: 'x' }, header: { 'If-Match': '"1"', Prefer: 'return=minimal' } },
    body: { ...post, tags: { $add: [{ name: 'new' }] } },
  });
  return data?.data;
}

/** Sends a batch. The types require the members of each operation. */
export async function batch(): Promise<void> {
  await root.POST('/api/batch', {
    body: {
      operations: [
        { op: 'create', schema: 'tag', data: { name: 'soup' }, as: 'soup' },
        { op: 'update', schema: 'post', id: 7, data: { tags: { $add: [{ $ref: 'soup.id' }] } } },
        { op: 'delete', schema: 'tag', id: { $ref: 'soup.id' } },
      ],
    },
  });
  // @ts-expect-error a deletion needs an id
  await root.POST('/api/batch', { body: { operations: [{ op: 'delete', schema: 'tag' }] } });
  // @ts-expect-error unknown operation
  await root.POST('/api/batch', { body: { operations: [{ op: 'upsert', schema: 'tag', data: {} }] } });
}

/** Reads an aggregate. Its values have the types of the schema. */
export async function views(): Promise<number> {
  const { data } = await root.GET('/api/content/posts/aggregate', {
    params: { query: { sum: ['views'], max: ['published_at'], group: ['status', 'author'], count: '*' } },
  });
  const [first] = data?.data ?? [];
  const status: 'draft' | 'published' | null | undefined = first?.status;
  const author: string | null | undefined = first?.author;
  const newest: string | null | undefined = first?.max?.published_at;
  // @ts-expect-error only numbers have a sum
  void first?.sum?.title;
  return Number(first?.sum?.views ?? 0) + (first?.count ?? 0) + [status, author, newest].length;
}

export async function schemas(): Promise<string[]> {
  const definition: Schemas['SchemaDefinition'] = { name: 'note', fields: [{ type: 'string', name: 'text' }] };
  await root.POST('/api/schema', { body: definition });
  await root.POST('/api/schema', { body: { schemas: [definition] } });
  const { data } = await root.GET('/api/schema');
  return data?.data.map(({ name }) => name ?? '') ?? [];
}

export async function refusals(): Promise<string> {
  const { error } = await guest.POST('/api/auth/local/login', { body: { login: 'ann', password: 'x' } });
  // @ts-expect-error a sign-in needs a password
  await guest.POST('/api/auth/local/login', { body: { login: 'ann' } });
  // @ts-expect-error guests cannot write
  await guest.POST('/api/content/posts', { body: {} });
  // @ts-expect-error only administrators can write schemas
  await user.POST('/api/schema', { body: {} });
  // @ts-expect-error unknown status
  const status: Schemas['PostCreate']['status'] = 'gone';
  return `${status} ${error?.code} ${error?.data.error}`;
}
