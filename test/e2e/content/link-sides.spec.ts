import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { BOARD_SCHEMAS, boardState, freshBoard, m1, m2, p1, p2, p3, t1, t2, t3 } from '../../support/task-board.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;

describe('a link written from either side', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    await root.post('/api/schema', { schemas: BOARD_SCHEMAS }).expect(201);
  });

  const fresh = () => freshBoard(world.app);
  const state = () => boardState(world.app);
  const batch = (...operations: Json[]) => ['post', '/api/batch', { operations }] as const;
  const everyone = encodeURIComponent(JSON.stringify({ id: p2 }));
  const send = (client: TestClient, [method, path, body]: readonly ['patch' | 'post' | 'put', string, Json]) =>
    client[method](path, body);

  describe('respects the rule of the linked record', () => {
    const people: Record<string, TestClient> = {};

    beforeAll(async () => {
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

    beforeEach(fresh);

    it.each([
      ['added', 'project', ['patch', `/api/content/project/${p2}`, { tasks: { $add: [t1] } }]],
      ['in a list', 'project', ['patch', `/api/content/project/${p2}`, { tasks: [t1] }]],
      ['in a set', 'project', ['patch', `/api/content/project/${p2}`, { tasks: { $set: [{ id: t1 }] } }]],
      ['in a replacement', 'project', ['put', `/api/content/project/${p2}`, { title: 'x', tasks: [t1] }]],
      ['in a new record', 'project', ['post', '/api/content/project', { title: 'n', tasks: [t1] }]],
      ['in a list of new records', 'project', ['post', '/api/content/project', [{ title: 'n', tasks: [t1] }]]],
      ['in a batch', 'project', batch({ op: 'update', schema: 'project', id: p2, data: { tasks: { $add: [t1] } } })],
      [
        'in a new one of a batch',
        'project',
        batch({ op: 'create', schema: 'project', data: { title: 'n', tasks: [t1] } }),
      ],
      ['in many', 'project', ['patch', `/api/content/project?filter=${everyone}`, { tasks: { $add: [t1] } }]],
      [
        'in a nested record',
        'project',
        ['post', '/api/content/task', { title: 'n', project: { title: 'n', tasks: [t1] } }],
      ],
      ['removed', 'project', ['patch', `/api/content/project/${p1}`, { tasks: { $remove: [t1] } }]],
      ['left out', 'project', ['patch', `/api/content/project/${p1}`, { tasks: [] }]],
      [
        'left out of a set with others',
        'project',
        ['patch', `/api/content/project/${p1}`, { tasks: { $set: [{ title: 'n' }] } }],
      ],
      ['of one', 'leads', ['patch', `/api/content/project/${p2}`, { lead: t1 }]],
      ['of one, in a new record', 'leads', ['post', '/api/content/project', { title: 'n', lead: { id: t1 } }]],
      ['of one, by a new record', 'leads', ['patch', `/api/content/project/${p1}`, { lead: { title: 'n' } }]],
      ['of one, emptied', 'leads', ['patch', `/api/content/project/${p1}`, { lead: null }]],
      ['judged by what it leads to', 'open', ['patch', `/api/content/project/${p3}`, { tasks: { $add: [t1] } }]],
      [
        'closed with its parent',
        'open',
        ['patch', `/api/content/project/${p2}`, { open: false, tasks: { $add: [t1] } }],
      ],
      ['in a junction, added', 'members', ['patch', `/api/content/member/${m2}`, { tasks: { $add: [t2] } }]],
      ['in a junction, removed', 'members', ['patch', `/api/content/member/${m1}`, { tasks: { $remove: [t1] } }]],
      ['in a junction, left out', 'members', ['patch', `/api/content/member/${m1}`, { tasks: [] }]],
      ['in a junction, of a new record', 'members', ['post', '/api/content/member', { title: 'n', tasks: [t2] }]],
      ['in a junction, to oneself', 'members', ['patch', `/api/content/member/${m1}`, { tasks: { $add: [t2] } }]],
    ] as const)('%s', async (_how, rule, request) => {
      const before = [await state(), await world.app.sql('SELECT count(*) FROM projects')];
      const answer = await send(people[rule] as TestClient, request as never);
      expect([400, 403]).toContain(answer.status);
      expect([await state(), await world.app.sql('SELECT count(*) FROM projects')]).toEqual(before);
    });

    it('needs no permission for links that do not change', async () => {
      const before = await state();
      await people['leads']?.patch(`/api/content/project/${p1}`, { tasks: { $add: [t1] } }).expect(200);
      await people['project']?.patch(`/api/content/project/${p1}`, { tasks: [t1], lead: t1 }).expect(200);
      await people['open']?.patch(`/api/content/project/${p2}`, { tasks: { $remove: [t2] } }).expect(200);
      expect(await state()).toEqual(before);
    });

    it('cannot be removed from a record whose rule uses the link stored in the other record', async () => {
      const { client } = await personWith(world.app, [
        { resource: 'content.task.*', value: 'allow' },
        { resource: 'content.member.*', value: 'allow' },
        { resource: 'content.project.*', value: `'${t1}' in record.tasks || record.lead == '${t1}'` },
      ]);
      await world.app.sql('UPDATE tasks SET leads_id = NULL');
      const before = await state();
      for (const request of [
        ['patch', `/api/content/task/${t1}`, { project: p2 }],
        ['patch', `/api/content/task/${t1}`, { project: null }],
        ['patch', `/api/content/task/${t1}`, { leads: p2 }],
        ['post', '/api/content/task', { title: 'n', project: p2 }],
        ['post', '/api/content/member', { title: 'n', tasks: [{ title: 'n', project: p2 }] }],
        batch({ op: 'update', schema: 'task', id: t1, data: { project: p2 } }),
      ] as const) {
        expect([400, 403]).toContain((await send(client, request as never)).status);
        expect(await state()).toEqual(before);
      }
      await client.post('/api/content/task', { title: 'n', project: p1 }).expect(201);
      await client.post('/api/content/task', { title: 'n', project: { title: 'q' } }).expect(403);
    });
  });

  describe('changes the records that store it', () => {
    beforeEach(fresh);

    it.each([
      [{ tasks: { $add: [t2] } }, [t2]],
      [{ tasks: { $remove: [t1] } }, [t1]],
      [{ tasks: [t2, t3] }, [t1, t2, t3]],
      [{ lead: t3 }, [t1, t3]],
      [{ lead: null }, [t1]],
      [{ tasks: [t1], lead: t1 }, []],
      [{ title: 'x' }, []],
    ])('%j', async (body, moved) => {
      const tags = async () => {
        const answers = [t1, t2, t3].map((own) => root.get(`/api/content/task/${own}`).expect(200));
        return (await Promise.all(answers)).map(({ headers, body: { data } }) => [headers['etag'], data.updated_at]);
      };
      const before = await tags();
      await root.patch(`/api/content/project/${p1}`, body).expect(200);
      const after = await tags();
      const changed = [t1, t2, t3].filter((_, at) => after[at]?.every((value, part) => value !== before[at]?.[part]));
      expect(changed).toEqual(moved);
      expect(after.filter((tag, at) => tag.some((value, part) => value !== before[at]?.[part]))).toHaveLength(
        moved.length,
      );
      const kept = String(before[0]?.[0]);
      await root
        .patch(`/api/content/task/${t1}`, { weight: 5 })
        .set('if-match', kept)
        .expect(moved.some((one) => one === t1) ? 412 : 200);
    });
  });

  it('cannot be changed if it is immutable on the other side', async () => {
    await fresh();
    const made = await root.post('/api/content/note', { title: 'n', project: p1 }).expect(201);
    const note = made.body.data.id;
    const group = (await root.post('/api/content/group', { title: 'g', seal: [{ title: 's' }] }).expect(201)).body.data
      .id;
    const [seal] = await world.app.sql<{ id: string }>('SELECT id FROM seals');
    const refused: [string, Json][] = [
      [`project/${p2}`, { notes: { $add: [note] } }],
      [`project/${p2}`, { notes: [note] }],
      [`project/${p1}`, { notes: { $remove: [note] } }],
      [`project/${p1}`, { notes: [] }],
      [`note/${note}`, { project: p2 }],
      [`seal/${seal?.id}`, { groups: { $remove: [group] } }],
      [`seal/${seal?.id}`, { groups: [] }],
      [`group/${group}`, { seal: [] }],
    ];
    for (const [path, body] of refused) {
      const answer = await root.patch(`/api/content/${path}`, body).expect(400);
      expect(answer.body.data.errors).toMatchObject([{ field: Object.keys(body)[0], code: 'immutable' }]);
    }
    await root.post('/api/content/project', { title: 'x', notes: [note] }).expect(400);
    await root.post('/api/content/seal', { title: 'x', groups: [group] }).expect(400);
    await root.patch(`/api/content/project/${p1}`, { notes: { $add: [note, { title: 'new' }] } }).expect(200);
    await root.patch(`/api/content/seal/${seal?.id}`, { groups: { $add: [group] } }).expect(200);
    await root.post('/api/content/seal', { title: 'x', groups: [{ title: 'new' }] }).expect(201);
    const { body } = await root.get(`/api/content/note/${note}?select=project.id`).expect(200);
    expect(body.data).toEqual({ project: { id: p1 } });
  });

  it('needs write permission for the field of the changed or created record', async () => {
    await fresh();
    const base = [
      { resource: 'content.project.*', value: 'allow' },
      { resource: 'content.task.list', value: 'allow' },
    ];
    const titles = { resource: 'content.task.create', value: 'allow', fields: { write: ['title'] } };
    const both = { resource: 'content.task.create', value: 'allow', fields: { write: ['title', 'project'] } };
    const { client: without } = await personWith(world.app, [...base, titles]);
    const { client: makes } = await personWith(world.app, [...base, both]);
    const nested = { tasks: { $add: [{ title: 'n' }] } };
    await without.post('/api/content/task', { title: 'n', project: p2 }).expect(400);
    await without.patch(`/api/content/project/${p2}`, nested).expect(400);
    await without.post('/api/content/project', { title: 'x', tasks: [{ title: 'n' }] }).expect(400);
    await makes.post('/api/content/task', { title: 'n', project: p2 }).expect(201);
    await makes.patch(`/api/content/project/${p2}`, nested).expect(200);
    await makes.patch(`/api/content/project/${p2}`, { tasks: { $add: [t1] } }).expect(400);
    const { client: updates } = await personWith(world.app, [
      ...base,
      titles,
      { resource: 'content.task.update', value: 'allow' },
    ]);
    await updates.patch(`/api/content/project/${p2}`, nested).expect(400);
    await updates.patch(`/api/content/project/${p2}`, { tasks: { $add: [t1] } }).expect(200);
  });
});
