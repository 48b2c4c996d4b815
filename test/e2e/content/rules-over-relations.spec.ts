import fc from 'fast-check';
import { compileRule } from '../../../src/data/content/resolve/rules/compile-rule.js';
import { RuleRefused } from '../../../src/data/content/resolve/rules/rule-terms.js';
import { translateRule } from '../../../src/data/content/resolve/rules/translate-rule.js';
import { ExpressionCompiler } from '../../../src/data/expressions/compile-expression.js';
import type { LinkedSchema } from '../../../src/data/model/schema-model.types.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { personWith } from '../../support/content-fixture.js';
import { foundBy } from '../../support/found-by.js';
import { signedIn } from '../../support/people.js';
import {
  projectIds,
  type RandomProject,
  randomProjects,
  randomRule,
  randomTasks,
  TASK_SCHEMAS,
  taskWorldId,
} from '../../support/task-rules.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;
type Tasks = typeof randomTasks extends fc.Arbitrary<infer T> ? T : never;

const id = taskWorldId;

describe('rules over relations', () => {
  const world = useTestApp();
  let root: TestClient;
  let task: LinkedSchema;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    await root.post('/api/schema', { schemas: TASK_SCHEMAS }).expect(201);
    task = world.app.get(SchemaSnapshots).current.schemas['task'] as LinkedSchema;
    for (const at of [0, 1, 2])
      await world.app.sql('INSERT INTO tags (id, title) VALUES ($1, $2)', [id('c', at), `tag ${at}`]);
  });

  const insert = async (table: string, rows: readonly Json[]): Promise<void> => {
    const names = Object.keys(rows[0] ?? {}).join(', ');
    if (rows.length === 0) return;
    await world.app.sql(
      `INSERT INTO ${table} (${names}) SELECT ${names} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`,
      [JSON.stringify(rows)],
    );
  };
  const store = async (all: readonly RandomProject[], some: Tasks): Promise<Json[]> => {
    await world.app.sql('DELETE FROM badges');
    await world.app.sql('DELETE FROM tasks');
    await world.app.sql('DELETE FROM projects');
    await insert(
      'projects',
      all.map(({ parent, deleted, ...one }) => ({
        ...one,
        parent_id: parent === null ? null : projectIds[parent],
        deleted_at: deleted ? new Date(1) : null,
      })),
    );
    const inner = (at: number | null, depth: number): Json | null => {
      const found = at === null ? undefined : all[at];
      if (found === undefined || found.deleted) return null;
      const { id: own, title, secret, size, open } = found;
      const parent = depth === 0 ? null : inner(found.parent, depth - 1);
      const big = size === null ? null : BigInt(size);
      return { id: own, title, secret, size: big, open, parent, parent_key: parent?.['id'] ?? null };
    };
    const records: Json[] = [];
    const rows: Record<'tasks' | 'badges' | 'tasks_tags', Json[]> = { tasks: [], badges: [], tasks_tags: [] };
    for (const [at, one] of some.entries()) {
      // The audited project restricts deletion, so it exists as long as the record does.
      const audited = one.audited === null || all[one.audited]?.deleted === true ? null : one.audited;
      const own = id('b', at);
      rows.tasks.push({
        id: own,
        title: one.title,
        note: one.note,
        weight: one.weight,
        project_id: one.project === null ? null : projectIds[one.project],
        audited_id: audited === null ? null : projectIds[audited],
      });
      const kinds = one.badge === 'both' ? ['gone', 'live'] : one.badge === null ? [] : [one.badge];
      for (const [turn, kind] of kinds.entries())
        rows.badges.push({
          id: id(turn === 0 ? 'd' : 'e', at),
          title: 'badge',
          size: kind === 'live' ? one.badgeSize : 0,
          task_id: own,
          deleted_at: kind === 'live' ? null : new Date(1),
        });
      rows.tasks_tags.push(...one.tags.map((tag) => ({ task_id: own, tag_id: id('c', tag) })));
      const hasBadge = one.badge === 'live' || one.badge === 'both';
      const badgeId = hasBadge ? id(one.badge === 'both' ? 'e' : 'd', at) : null;
      const size = one.badgeSize === null ? null : BigInt(one.badgeSize);
      const [project, audit] = [inner(one.project, 1), inner(audited, 1)];
      records.push({
        id: own,
        title: one.title,
        note: one.note,
        weight: one.weight === null ? null : BigInt(one.weight),
        project,
        project_key: project?.['id'] ?? null,
        audited: audit,
        audited_key: audit?.['id'] ?? null,
        badge: hasBadge ? { id: badgeId, size } : null,
        badge_key: badgeId,
        tags: one.tags.map((tag) => id('c', tag)),
      });
    }
    for (const [table, list] of Object.entries(rows)) await insert(table, list);
    return records;
  };

  it('match exactly the records that CEL matches', async () => {
    const snapshot = world.app.get(SchemaSnapshots).current;
    const names = ['id', 'title', 'note', 'weight', 'project', 'audited', 'badge', 'tags'];
    const record = Object.fromEntries(names.flatMap((name) => [name, `${name}_key`]).map((name) => [name, 'dyn']));
    const compiler = new ExpressionCompiler({ record });
    const [auth, now] = [{ id: '', email: '', username: '', roles: [] }, new Date(0)];
    let tried = 0;
    let compared = 0;
    let unknown = 0;
    await fc.assert(
      fc.asyncProperty(
        randomProjects,
        randomTasks,
        fc.array(randomRule, { minLength: 15, maxLength: 15 }),
        async (all, some, rules) => {
          const records = await store(all, some);
          for (const pair of rules) {
            tried += 1;
            let condition;
            try {
              condition = translateRule(compileRule(task, pair.rule), { snapshot, schema: task, auth, now });
            } catch (error) {
              if (error instanceof RuleRefused) continue;
              throw error;
            }
            const reference = compiler.compile(pair.cel);
            if (!reference.ok) throw new Error(`${pair.cel}: ${reference.fault.message}`);
            const expected = records.filter((values) => {
              try {
                return reference.expression.evaluate({ record: values, auth, now }) === true;
              } catch {
                unknown += 1;
                return false;
              }
            });
            const found = await foundBy(world.app, 'tasks', condition);
            compared += 1;
            expect([pair.rule, found]).toEqual([pair.rule, expected.map((values) => values['id'])]);
          }
        },
      ),
      { numRuns: 30 },
    );
    expect(compared).toBeGreaterThan(0.6 * tried);
    expect(unknown).toBeGreaterThan(0.6 * tried);
  });

  it.each([
    'record.project.secret == null',
    "!(record.project.secret in ['s'])",
    "!(record.project.secret == 's')",
    "record.project.id != 'x'",
    `!(record.project.id == '${id('a', 1)}')`,
    'record.project.id != record.id',
    '!(record.project.size > 0)',
    '!record.project.open',
    'record.project.parent.secret == null || record.project.secret == null',
    "!(record.project.title.startsWith('z') || record.title == 'z')",
    'record.project.secret == record.badge.size || record.project.secret == record.note',
  ])('allow nothing over an empty relation, in reads and writes: %s', async (value) => {
    await store([], []);
    const project = (await root.post('/api/content/project', { title: 'gone' }).expect(201)).body.data.id;
    const none = (await root.post('/api/content/task', { title: 'none' }).expect(201)).body.data.id;
    const late = (await root.post('/api/content/task', { title: 'late', project }).expect(201)).body.data.id;
    await root.delete(`/api/content/project/${project}`).expect(200);
    const { client } = await personWith(world.app, [{ resource: 'content.task.*', value }]);
    const list = await client.get('/api/content/task');
    // A rule that cannot be translated grants nothing.
    if (list.status === 403) return;
    expect(list.body.data).toMatchObject({ total: 0, items: [] });
    expect((await client.get('/api/content/task/aggregate?count=*').expect(200)).body.data).toEqual([{ count: 0 }]);
    for (const own of [none, late]) {
      await client.get(`/api/content/task/${own}`).expect(404);
      await client.patch(`/api/content/task/${own}`, { note: 'x' }).expect(404);
      await client.delete(`/api/content/task/${own}`).expect(404);
    }
    await client.post('/api/content/task', { title: 'mine' }).expect(403);
  });
});
