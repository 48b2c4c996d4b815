import { randomUUID } from 'node:crypto';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;

/** A rule that reads values which the write changes, with data that meets or breaks the rule. */
interface Case {
  readonly rule: (ids: Readonly<Record<string, string>>) => string;
  readonly right: (ids: Readonly<Record<string, string>>) => Json;
  /** Data of a new record that breaks the rule. Members that are not listed are left out. */
  readonly wrong: (ids: Readonly<Record<string, string>>) => Json;
  /** A change that breaks the rule, for a record that meets it. */
  readonly breaks: (ids: Readonly<Record<string, string>>) => Json;
}

const CASES: Readonly<Record<string, Case>> = {
  'at another record of the same table': {
    rule: () => "record.parent.title == 'mine'",
    right: ({ mine }) => ({ parent: mine }),
    wrong: ({ theirs }) => ({ parent: theirs }),
    breaks: ({ theirs }) => ({ parent: theirs }),
  },
  'on another record and on itself': {
    rule: () => "record.owner == 'A' && !(record.parent.title == 'theirs')",
    right: ({ mine }) => ({ parent: mine, owner: 'A' }),
    wrong: ({ mine }) => ({ parent: mine, owner: 'B' }),
    breaks: () => ({ owner: 'B' }),
  },
  'on many-to-many links': {
    rule: ({ label }) => `'${label}' in record.labels`,
    right: ({ label, plain }) => ({ labels: [plain, label] }),
    wrong: ({ plain }) => ({ labels: [plain] }),
    breaks: ({ label }) => ({ labels: { $remove: [label] } }),
  },
  'on missing links': {
    rule: ({ label }) => `!('${label}' in record.labels)`,
    right: ({ plain }) => ({ labels: [plain] }),
    wrong: ({ label }) => ({ labels: [label] }),
    breaks: ({ label }) => ({ labels: { $add: [label] } }),
  },
  'on links stored in other records': {
    rule: ({ drawer }) => `'${drawer}' in record.drawers || record.title == 'first'`,
    right: ({ drawer }) => ({ drawers: [drawer] }),
    wrong: () => ({ drawers: [] }),
    breaks: ({ drawer }) => ({ drawers: { $remove: [drawer] } }),
  },
  'on records that refer back to it': {
    rule: ({ mine }) => `record.owner == 'A' && !('${mine}' in record.children)`,
    right: () => ({ owner: 'A' }),
    wrong: ({ mine }) => ({ owner: 'A', children: [mine] }),
    breaks: () => ({ owner: 'B' }),
  },
};

describe('a taken unique value', () => {
  const world = useTestApp();
  let root: TestClient;
  let counter = 0;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    const schemas = [
      schema('desk', [
        field('string', 'code', { optional: true, unique: true }),
        field('string', 'owner', { optional: true }),
        relation('parent', 'desk', 'children', 'm2o'),
        relation('children', 'desk', 'parent', 'o2m', { owner: true }),
        relation('labels', 'label', 'desks', 'm2m', { owner: true }),
        relation('drawers', 'drawer', 'desk', 'o2m', { owner: true }),
      ]),
      schema('label', [relation('desks', 'desk', 'labels', 'm2m')]),
      schema('drawer', [relation('desk', 'desk', 'drawers', 'm2o')]),
      schema(
        'turn',
        [
          field('int', 'number', { db: { increment: true } }),
          field('string', 'code', { optional: true, unique: true }),
          field('string', 'owner', { optional: true }),
        ],
        { primary_field: 'number' },
      ),
      schema('seat', [field('string', 'code'), field('string', 'owner', { optional: true })], {
        primary_field: 'code',
      }),
    ];
    await root.post('/api/schema', { schemas }).expect(201);
    const make = async (name: string, body: Json) =>
      (ids[String(body['title'])] = (await root.post(`/api/content/${name}`, body).expect(201)).body.data.id as string);
    for (const title of ['mine', 'theirs']) await make('desk', { title, owner: 'A' });
    for (const title of ['label', 'plain']) await make('label', { title });
    await make('drawer', { title: 'drawer' });
    await make('desk', { title: 'taken', code: 'taken' });
  });

  const ways = (
    own: string,
    made: Json,
    changed: Json,
  ): Record<string, (client: TestClient) => PromiseLike<Answer>> => {
    const path = `/api/content/desk/${own}`;
    const create = { op: 'create', schema: 'desk', data: made };
    const update = { op: 'update', schema: 'desk', id: own, data: changed };
    const key = () => randomUUID();
    const filter = encodeURIComponent(JSON.stringify({ id: own }));
    return {
      'a new record': (client) => client.post('/api/content/desk', made),
      'with a key': (client) => client.post('/api/content/desk', made).set('idempotency-key', key()),
      'a list': (client) => client.post('/api/content/desk', [made]),
      'a list of two': (client) =>
        client.post('/api/content/desk', [{ ...made, title: 'first', code: undefined, drawers: undefined }, made]),
      nested: (client) => client.post('/api/content/label', { title: 'x', desks: [made] }),
      'an operation': (client) => client.post('/api/batch', { operations: [create] }),
      'a change': (client) => client.patch(path, changed),
      'a change with a key': (client) => client.patch(path, changed).set('idempotency-key', key()),
      'a replacement': (client) => client.put(path, { title: 'put', owner: 'A', ...changed }),
      'a change by a filter': (client) => client.patch(`/api/content/desk?filter=${filter}`, changed),
      'a change in a batch': (client) => client.post('/api/batch', { operations: [update] }),
      'changes in a batch': (client) =>
        client.post('/api/batch', { operations: [{ ...update, data: { title: 'again' } }, update] }),
    };
  };
  type Answer = { readonly status: number; readonly body: { readonly data: Json } };

  describe.each(Object.entries(CASES))('is reported only to callers who may write it: a rule %s', (_, one) => {
    it.each(Object.keys(ways('', {}, {})))('%s', async (way) => {
      const open = ['desk.list', 'desk.get', 'label.*', 'drawer.*'];
      const { client } = await personWith(world.app, [
        ...open.map((name) => ({ resource: `content.${name}`, value: 'allow' })),
        ...['create', 'update'].map((action) => ({ resource: `content.desk.${action}`, value: one.rule(ids) })),
      ]);
      const outcomes: Record<string, unknown> = {};
      const refusals: string[] = [];
      for (const code of ['taken', 'free'])
        for (const kind of ['wrong', 'right'] as const) {
          counter += 1;
          const own = await root.post('/api/content/desk', { title: 'own', ...one.right(ids) }).expect(201);
          // A new record must not take the drawer from another record.
          if (!way.includes('change') && way !== 'a replacement')
            await root.patch(`/api/content/drawer/${ids['drawer']}`, { desk: null }).expect(200);
          const value = code === 'free' ? `free-${counter}` : code;
          const made = { title: 'new', code: value, ...one[kind](ids) };
          const changed = { code: value, ...(kind === 'wrong' ? one.breaks(ids) : {}) };
          const answer = await ways(String(own.body.data.id), made, changed)[way]?.(client);
          outcomes[`${code} ${kind}`] = answer?.status;
          if (kind === 'wrong') refusals.push(JSON.stringify({ ...answer?.body, data: { ...answer?.body.data } }));
          // Resets the parent, which a previous write may have set.
          await root.patch(`/api/content/desk/${ids['mine']}`, { parent: null }).expect(200);
        }
      expect(outcomes).toEqual({
        'taken wrong': 403,
        'free wrong': 403,
        'taken right': 409,
        'free right': expect.any(Number),
      });
      expect(outcomes['free right']).toBeLessThan(300);
      expect(refusals[0]).toBe(refusals[1]);
    });
  });

  it.each(['turn', 'seat'])('is also reported so for keys from the database or the client: %s', async (name) => {
    const { client } = await personWith(world.app, [{ resource: `content.${name}.*`, value: "record.owner == 'A'" }]);
    const path = `/api/content/${name}`;
    await root.post(path, { title: 't', code: 'taken' }).expect(201);
    for (const [owner, code, status] of [
      ['B', 'taken', 403],
      ['B', 'free', 403],
      ['A', 'taken', 409],
      ['A', 'free', 201],
    ] as const) {
      const body = { title: 't', owner, code };
      await client.post(path, [body, { ...body, code: `${code}2` }]).expect(status);
      const one = { ...body, code: code === 'free' ? 'free3' : code };
      await client.post(path, one).expect(status);
      const operations = [{ op: 'create', schema: name, data: { ...one, code: code === 'free' ? 'free4' : code } }];
      await client.post('/api/batch', { operations }).expect(status === 201 ? 200 : status);
    }
  });
});
