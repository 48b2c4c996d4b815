import { randomUUID } from 'node:crypto';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { BOARD_SCHEMAS, boardState, freshBoard, m1, m2, p1, p2, p3, t1, t2, t3 } from '../../support/task-board.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;
type Attack = (client: TestClient) => PromiseLike<{ status: number }>;

describe('a link that a rule forbids', () => {
  const world = useTestApp();
  const people: Record<string, TestClient> = {};

  beforeAll(async () => {
    const root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    await root.post('/api/schema', { schemas: BOARD_SCHEMAS }).expect(201);
    const open = ['project.*', 'member.*', 'group.*', 'task.list', 'task.get', 'task.create'].map((name) => ({
      resource: `content.${name}`,
      value: 'allow',
    }));
    const rules = {
      project: `record.project == '${p1}'`,
      leads: `record.leads == '${p1}'`,
      open: 'record.project.open',
      members: `'${m1}' in record.members`,
    };
    for (const [name, value] of Object.entries(rules))
      people[name] = (await personWith(world.app, [...open, { resource: 'content.task.update', value }])).client;
  });

  beforeEach(() => freshBoard(world.app));

  const batch =
    (...operations: Json[]): Attack =>
    (client) =>
      client.post('/api/batch', { operations });
  const all = (...ids: string[]) => `filter=${encodeURIComponent(JSON.stringify({ id: { $in: ids } }))}`;
  const newProject = { op: 'create', schema: 'project', data: { title: 'n' }, as: 'made' };
  const counts = () =>
    world.app.sql('SELECT (SELECT count(*) FROM projects) AS projects, (SELECT count(*) FROM members) AS members');

  it.each<[string, string, Attack]>([
    [
      'to an earlier result of a batch',
      'project',
      batch(newProject, { op: 'update', schema: 'project', id: { $ref: 'made.id' }, data: { tasks: { $add: [t1] } } }),
    ],
    [
      'in a batch that takes it back at once',
      'project',
      batch(
        { op: 'update', schema: 'project', id: p2, data: { tasks: { $add: [t1] } } },
        { op: 'update', schema: 'project', id: p1, data: { tasks: { $add: [t1] } } },
      ),
    ],
    [
      'three records deep',
      'project',
      (client) =>
        client.post('/api/content/member', {
          title: 'n',
          tasks: [{ title: 'n', project: { title: 'n', tasks: [t1] } }],
        }),
    ],
    [
      'three records deep, in a list',
      'project',
      (client) =>
        client.post('/api/content/group', [
          { title: 'g', members: [{ title: 'n', tasks: [{ title: 'n', project: { title: 'n', tasks: [t1] } }] }] },
        ]),
    ],
    [
      'by two records of a list',
      'project',
      (client) =>
        client.post('/api/content/project', [
          { title: 'n', tasks: [t1] },
          { title: 'n', tasks: [t1] },
        ]),
    ],
    ['for many at once', 'project', (client) => client.patch(`/api/content/project?${all(p1, p2)}`, { tasks: [t1] })],
    [
      'for many at once, the right one last',
      'leads',
      (client) => client.patch(`/api/content/project?${all(p1, p3)}`, { lead: t2 }),
    ],
    ['by putting another in its place', 'leads', (client) => client.patch(`/api/content/project/${p1}`, { lead: t2 })],
    [
      'by two that change places',
      'leads',
      batch(
        { op: 'update', schema: 'project', id: p2, data: { lead: t1 } },
        { op: 'update', schema: 'project', id: p1, data: { lead: t2 } },
      ),
    ],
    [
      'as one that closes the project which it stands in',
      'open',
      (client) => client.post('/api/content/project', { title: 'n', open: false, tasks: [t1] }),
    ],
    [
      'with an Idempotency-Key',
      'members',
      (client) =>
        client.patch(`/api/content/member/${m2}`, { tasks: { $add: [t2] } }).set('idempotency-key', randomUUID()),
    ],
    [
      'in a list of new records',
      'members',
      (client) => client.post('/api/content/member', [{ title: 'n' }, { title: 'n', tasks: [t2] }]),
    ],
    [
      'in a list, beside one that it allows',
      'members',
      (client) =>
        client.post('/api/content/member', [
          { title: 'n', tasks: [t1] },
          { title: 'n', tasks: [t1, t3] },
        ]),
    ],
    [
      'in a batch of new records',
      'members',
      batch({ op: 'create', schema: 'member', data: { title: 'n', tasks: [t2] } }),
    ],
    [
      'by a member that goes with others',
      'members',
      (client) => client.patch(`/api/content/member?${all(m1, m2)}`, { tasks: { $remove: [t1] } }),
    ],
  ])('%s', async (_how, rule, attack) => {
    const before = [await boardState(world.app), await counts()];
    expect([400, 403]).toContain((await attack(people[rule] as TestClient)).status);
    expect([await boardState(world.app), await counts()]).toEqual(before);
  });

  it('is rejected with a key in capitals, while an allowed one is accepted', async () => {
    const loud = (id: string) => id.toUpperCase();
    const { members } = people;
    await members?.post('/api/content/member', [{ title: 'n', tasks: [loud(t2)] }]).then(({ status }) => {
      expect([400, 403]).toContain(status);
    });
    const single = await members?.post('/api/content/member', { title: 'n', tasks: [loud(t1)] });
    const listed = await members?.post('/api/content/member', [{ title: 'n', tasks: [loud(t1)] }]);
    expect([single?.status, listed?.status]).toEqual([201, 201]);
  });

  it('is accepted if the record may be changed before and after', async () => {
    const list = [
      { title: 'n', tasks: [t1] },
      { title: 'n', tasks: [t1] },
    ];
    await people['members']?.post('/api/content/member', list).expect(201);
    const operations = [{ op: 'create', schema: 'member', data: { title: 'n', tasks: [t1] } }];
    await people['members']?.post('/api/batch', { operations }).expect(200);
    const [row] = await world.app.sql<{ count: number }>('SELECT count(*)::int FROM tasks_members');
    expect(row?.count).toBe(4);
  });
});
