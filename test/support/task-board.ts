import { field, relation, schema } from './schema-definitions.js';
import type { TestApp } from './test-app.js';

type Json = Record<string, unknown>;

export const BOARD_SCHEMAS = [
  schema('project', [
    field('bool', 'open', { default: true }),
    relation('tasks', 'task', 'project', 'o2m', { owner: true }),
    relation('lead', 'task', 'leads', 'o2o', { owner: true }),
    relation('notes', 'note', 'project', 'o2m', { owner: true }),
  ]),
  schema('task', [
    field('int', 'weight', { default: 0 }),
    relation('project', 'project', 'tasks', 'm2o'),
    relation('leads', 'project', 'lead', 'o2o'),
    relation('members', 'member', 'tasks', 'm2m', { owner: true }),
  ]),
  schema('member', [relation('tasks', 'task', 'members', 'm2m'), relation('group', 'group', 'members', 'm2o')]),
  schema('group', [
    relation('members', 'member', 'group', 'o2m', { owner: true }),
    { ...relation('seal', 'seal', 'groups', 'm2m', { owner: true }), immutable: true },
  ]),
  schema('seal', [relation('groups', 'group', 'seal', 'm2m')]),
  schema('note', [{ ...relation('project', 'project', 'notes', 'm2o'), immutable: true }]),
];

const id = (kind: string, at: number) => `00000000-0000-7000-8000-000000000${kind}0${at}`;
export const [p1, p2, p3] = [id('a', 1), id('a', 2), id('a', 3)];
export const [t1, t2, t3] = [id('b', 1), id('b', 2), id('b', 3)];
export const [m1, m2] = [id('c', 1), id('c', 2)];
const LONG_AGO = '2020-01-01T00:00:00Z';

/** Resets the board: three projects, three tasks and two members. The first task belongs to the first project and leads it. */
export async function freshBoard(app: TestApp): Promise<void> {
  const emptied = 'tasks_members tasks notes projects members groups_seal groups seals'.split(' ');
  const times = `'${LONG_AGO}', '${LONG_AGO}'`;
  const values = (own: readonly string[], row: (one: string, at: number) => string) =>
    own.map((one, at) => `('${one}', ${row(one, at + 1)}, ${times})`).join(', ');
  await app.sql(
    [
      ...emptied.map((table) => `DELETE FROM ${table}`),
      `INSERT INTO projects (id, title, open, created_at, updated_at) VALUES ${values([p1, p2, p3], (_, at) => `'p${at}', ${at < 3}`)}`,
      `INSERT INTO members (id, title, created_at, updated_at) VALUES ${values([m1, m2], (_, at) => `'m${at}'`)}`,
      `INSERT INTO tasks (id, title, weight, created_at, updated_at) VALUES ${values([t1, t2, t3], (_, at) => `'t${at}', ${at - 1}`)}`,
      `UPDATE tasks SET project_id = '${p1}', leads_id = '${p1}' WHERE id = '${t1}'`,
      `INSERT INTO tasks_members (task_id, member_id) VALUES ('${t1}', '${m1}')`,
    ].join(';'),
  );
}

/** Returns all links, and which tasks have a changed `updated_at`. */
export function boardState(app: TestApp): Promise<Json[]> {
  return app.sql<Json>(
    `SELECT t.title, t.project_id, t.leads_id, t.updated_at <> $1 AS moved,
         (SELECT json_agg(j.member_id ORDER BY 1) FROM tasks_members j WHERE j.task_id = t.id) AS members FROM tasks t ORDER BY title, id`,
    [LONG_AGO],
  );
}
