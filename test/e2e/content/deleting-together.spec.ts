import { Injectable, Module } from '@nestjs/common';
import { AfterWrite, BeforeWrite } from '../../../src/identity/records/record-hooks.decorators.js';
import { signedIn } from '../../support/people.js';
import { relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';
import { personWith } from '../../support/content-fixture.js';

type Json = Record<string, unknown>;

@Injectable()
class Listener {
  @BeforeWrite('crate_hooked')
  @BeforeWrite('stone_hooked')
  @BeforeWrite('quay_hooked')
  @AfterWrite('jar_hooked')
  @AfterWrite('port_hooked')
  @AfterWrite('ship_hooked')
  hear(): void {}
}

@Module({ providers: [Listener] })
class ListenerModule {}

const forGood = { disable_timestamp: true };
const list = (name: string, target: string, back: string) => relation(name, target, back, 'o2m', { owner: true });
const parent = (name: string, target: string, back: string, on_delete: string) =>
  relation(name, target, back, 'm2o', { on_delete });

/** Schemas with and without `deleted_at` that cascade to each other or restrict each other. */
const schemas = (suffix: string): Json[] => {
  const name = (own: string) => `${own}${suffix}`;
  return [
    schema(name('crate'), [list('jars', name('jar'), 'crate')], forGood),
    schema(name('jar'), [parent('crate', name('crate'), 'jars', 'cascade')]),
    schema(
      name('stone'),
      [
        relation('beside', name('stone'), 'beneath', 'm2m', { owner: true, on_delete: 'restrict' }),
        relation('beneath', name('stone'), 'beside', 'm2m', { on_delete: 'restrict' }),
        parent('wall', name('wall'), 'stones', 'cascade'),
      ],
      forGood,
    ),
    schema(name('wall'), [list('stones', name('stone'), 'wall')], forGood),
    schema(name('port'), [list('quays', name('quay'), 'port'), list('home_of', name('ship'), 'home')]),
    schema(
      name('quay'),
      [parent('port', name('port'), 'quays', 'cascade'), list('ships', name('ship'), 'quay')],
      forGood,
    ),
    schema(
      name('ship'),
      [
        parent('quay', name('quay'), 'ships', 'cascade'),
        parent('home', name('port'), 'home_of', 'restrict'),
        parent('escort', name('ship'), 'escorted', 'restrict'),
        list('escorted', name('ship'), 'escort'),
      ],
      forGood,
    ),
  ];
};

describe('records that are deleted in one request', () => {
  const world = useTestApp({ modules: [ListenerModule] });
  let root: TestClient;

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    await root.post('/api/schema', { schemas: [...schemas(''), ...schemas('_hooked')] }).expect(201);
  });

  describe.each([
    ['without hooks', ''],
    ['with hooks', '_hooked'],
  ])('%s', (_how, suffix) => {
    const path = (name: string, id = '') => `/api/content/${name}${suffix}${id === '' ? '' : `/${id}`}`;
    const make = async (name: string, body: Json = {}) =>
      (await root.post(path(name), { title: name, ...body }).expect(201)).body.data.id as string;
    const among = (ids: string[]) => `filter=${encodeURIComponent(JSON.stringify({ id: { $in: ids } }))}`;
    const count = async (name: string) =>
      (await root.get(`${path(name)}?count=exact&limit=1`).expect(200)).body.data.total as number;

    it('finds no deleted record in a schema without deleted_at', async () => {
      const { client } = await personWith(world.app, [
        { resource: `content.crate${suffix}.*`, value: "record.title == 'crate'" },
      ]);
      for (const jars of [[], [{ title: 'in' }]]) {
        const crate = await make('crate', { jars });
        for (const one of [root, client]) {
          const refused = await one.post(`${path('crate', crate)}/restore`).expect(404);
          expect(refused.body.data.error).toBe('record_not_found');
        }
      }
      const quay = await make('quay');
      await root.post(`${path('quay', quay)}/restore`).expect(404);
      const events = `SELECT 1 FROM audit_events WHERE action = 'record.restore' AND resource LIKE 'crate%'`;
      expect(await world.app.sql(events)).toEqual([]);
    });

    it('permanently deletes records that a many-to-many relation links to each other or to themselves', async () => {
      const one = await make('stone');
      const other = await make('stone', { beside: [one] });
      await root.delete(path('stone', one)).expect(409);
      await root.delete(path('stone', other)).expect(409);
      expect((await root.delete(`${path('stone')}?${among([one, other])}`).expect(200)).body.data.count).toBe(2);
      const own = await make('stone');
      await root.patch(path('stone', own), { beside: [own] }).expect(200);
      await root.delete(path('stone', own)).expect(200);
    });

    it('still rejects if one of them is linked to a remaining record', async () => {
      const stays = await make('stone');
      const wall = await make('wall', { stones: [{ title: 'a', beside: [stays] }, { title: 'b' }] });
      await root.delete(path('wall', wall)).expect(409);
      expect(await count('wall')).toBe(1);
      await root.patch(path('stone', stays), { beneath: [] }).expect(200);
      await root.delete(path('wall', wall)).expect(200);
    });

    it('deletes two linked children of a cascade', async () => {
      const one = await make('stone');
      const wall = await make('wall', { stones: [one, { title: 'new', beside: [one] }] });
      await root.delete(path('wall', wall)).expect(200);
      expect(await count('wall')).toBe(0);
    });

    it('allows a record two levels below to refer to the root or a sibling', async () => {
      const port = await make('port');
      const quay = await make('quay', { port });
      const escort = await make('ship', { quay, home: port });
      await make('ship', { quay, home: port, escort });
      await root.delete(path('ship', escort)).expect(409);
      await root.delete(path('port', port)).expect(200);
      expect(await count('ship')).toBe(0);
      await root.post(`${path('port', port)}/restore`).expect(200);
    });

    it('keeps the root if a remaining record refers to it', async () => {
      const port = await make('port');
      const elsewhere = await make('quay');
      const ship = await make('ship', { quay: elsewhere, home: port });
      await make('quay', { port });
      await root.delete(path('port', port)).expect(409);
      await root.delete(path('ship', ship)).expect(200);
      await root.delete(path('port', port)).expect(200);
    });
  });
});
