import { setTimeout } from 'node:timers/promises';
import { field, relation, schema } from './schema-definitions.js';
import type { TestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

export type Request = readonly ['patch' | 'post' | 'delete', string, object];

/** @param more members of every schema, such as `disable_timestamp`, with which records are deleted permanently */
export const linkSchemas = (more: Record<string, unknown> = {}): object[] => [
  schema(
    'band',
    [
      relation('fans', 'fan', 'bands', 'm2m', { owner: true }),
      relation('crew', 'fan', 'employer', 'o2m', { owner: true }),
      relation('singer', 'fan', 'voice', 'o2o', { owner: true }),
    ],
    more,
  ),
  schema(
    'fan',
    [
      relation('bands', 'band', 'fans', 'm2m'),
      relation('employer', 'band', 'crew', 'm2o'),
      relation('voice', 'band', 'singer', 'o2o'),
    ],
    more,
  ),
  schema(
    'person',
    [
      field('string', 'slug', { optional: true, unique: true }),
      relation('friends', 'person', 'admirers', 'm2m', { owner: true }),
      relation('admirers', 'person', 'friends', 'm2m'),
      relation('reports', 'person', 'boss', 'o2m', { owner: true }),
      relation('boss', 'person', 'reports', 'm2o'),
      relation('mentee', 'person', 'mentor', 'o2o', { owner: true }),
      relation('mentor', 'person', 'mentee', 'o2o'),
    ],
    more,
  ),
  schema(
    'topic',
    [
      relation('children', 'topic', 'parent', 'o2m', { owner: true, on_delete: 'cascade' }),
      relation('parent', 'topic', 'children', 'm2o'),
      relation('related', 'topic', 'relating', 'm2m', { owner: true }),
      relation('relating', 'topic', 'related', 'm2m'),
    ],
    more,
  ),
];

export const band = (id: string | undefined, body: object): Request => ['patch', `/api/content/band/${id}`, body];
export const fan = (id: string | undefined, body: object): Request => ['patch', `/api/content/fan/${id}`, body];
export const person = (id: string | undefined, body: object): Request => ['patch', `/api/content/person/${id}`, body];
export const batch = (name: string, ids: (string | undefined)[], data: object): Request => [
  'post',
  '/api/batch',
  { operations: ids.map((id) => ({ op: 'update', schema: name, id, data })) },
];

const each = (name: string, ids: (string | undefined)[]): string =>
  `/api/content/${name}?filter=${encodeURIComponent(JSON.stringify({ id: { $in: ids } }))}`;
export const all = (name: string, ids: (string | undefined)[], data: object): Request => [
  'patch',
  each(name, ids),
  data,
];
export const topic = (id: string | undefined, body: object): Request => ['patch', `/api/content/topic/${id}`, body];

export const deleteAll = (name: string, ids: (string | undefined)[]): Request => ['delete', each(name, ids), {}];

export async function threeOf(root: TestClient, name: string): Promise<string[]> {
  const list = Array.from({ length: 3 }, () => ({ title: name }));
  const { body } = await root.post(`/api/content/${name}`, list).expect(201);
  return (body.data as { id: string }[]).map(({ id }) => id);
}

export function race(
  root: TestClient,
  requests: readonly Request[],
  first = 0,
): Promise<{ status: number; body: object }[]> {
  const sent = Array.from({ length: 16 }, (_, at) => requests[(at + first) % requests.length] as Request);
  return Promise.all(sent.map(([method, path, body]) => root[method](path, body)));
}

export async function deadlocks(app: Pick<TestApp, 'sql'>): Promise<number> {
  // Sessions report their statistics at most once per second.
  await setTimeout(1_100);
  const count = 'SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()';
  const [row] = await app.sql<{ count: number }>(count);
  return Number(row?.count);
}
