import { Injectable, Module } from '@nestjs/common';
import fc from 'fast-check';
import { AfterWrite, BeforeWrite } from '../../../src/identity/records/record-hooks.decorators.js';
import { type Action, DeletionModel, type World } from '../../support/deletion-model.js';
import { signedIn } from '../../support/people.js';
import { relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** Number of random worlds. The full depth is 60. */
const WORLDS = Number(process.env['DELETION_WORLDS'] ?? 3);
const SEED = Number(process.env['DELETION_SEED'] ?? 33);
const STEPS = 40;

@Injectable()
class Listener {
  hear(): void {}
}

const hear = Object.getOwnPropertyDescriptor(Listener.prototype, 'hear') as PropertyDescriptor;
for (let at = 0; at < WORLDS; at += 1)
  for (const name of [`w${at}s0`, `w${at}s2`])
    for (const listen of [BeforeWrite(name), AfterWrite(name)]) listen(Listener.prototype, 'hear', hear);

@Module({ providers: [Listener] })
class ListenerModule {}

const world: fc.Arbitrary<World> = fc.record({
  soft: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  edges: fc.array(
    fc
      .record({
        from: fc.nat(3),
        to: fc.nat(3),
        action: fc.constantFrom<Action>('cascade', 'restrict', 'set_null'),
        many: fc.boolean(),
      })
      .map((edge) => (edge.many && edge.action === 'set_null' ? { ...edge, action: 'cascade' as const } : edge)),
    { minLength: 3, maxLength: 6 },
  ),
});
const steps = fc.array(
  fc.record({
    op: fc.constantFrom('link', 'link', 'link', 'remove', 'restore', 'create'),
    one: fc.nat(9_999),
    other: fc.nat(9_999),
  }),
  { minLength: STEPS, maxLength: STEPS },
);

describe('random schemas with dependencies', () => {
  const app = useTestApp({ modules: [ListenerModule] });
  let root: TestClient;

  beforeAll(async () => {
    root = app.app.as((await signedIn(app.app, { roles: ['admin'] })).token);
  });

  const definitions = (at: number, { soft, edges }: World) =>
    soft.map((isSoft, own) =>
      schema(
        `w${at}s${own}`,
        edges.flatMap(({ from, to, action, many }, place) => [
          ...(from === own
            ? [
                relation(`e${place}`, `w${at}s${to}`, `b${place}`, many ? 'm2m' : 'm2o', {
                  on_delete: action,
                  ...(many ? { owner: true } : {}),
                }),
              ]
            : []),
          ...(to === own
            ? [
                relation(
                  `b${place}`,
                  `w${at}s${from}`,
                  `e${place}`,
                  many ? 'm2m' : 'o2m',
                  many ? { on_delete: action } : { owner: true },
                ),
              ]
            : []),
        ]),
        isSoft ? {} : { disable_timestamp: true },
      ),
    );

  async function stored(at: number, { soft, edges }: World): Promise<string[]> {
    const all: string[] = [];
    for (const [own, isSoft] of soft.entries()) {
      const columns = edges.flatMap(({ from, many }, place) => (from === own && !many ? [place] : []));
      const values = [
        'id',
        isSoft ? 'deleted_at IS NOT NULL AS gone' : 'FALSE AS gone',
        ...columns.map((place) => `e${place}_id`),
      ];
      for (const row of await app.app.sql<Record<string, string | boolean | null>>(
        `SELECT ${values.join(', ')} FROM w${at}s${own}s`,
      ))
        all.push(
          [row['id'], row['gone'], ...columns.map((place) => `${place}:${String(row[`e${place}_id`] ?? '')}`)]
            .map(String)
            .join(' '),
        );
    }
    return all.sort();
  }

  const expected = (model: DeletionModel, { edges }: World) =>
    [...model.records.values()]
      .map(({ id, schema: own, deletion, refs }) => {
        const columns = edges.flatMap(({ from, many }, place) => (from === own && !many ? [place] : []));
        return [id, String(deletion !== null), ...columns.map((place) => `${place}:${refs.get(place) ?? ''}`)].join(
          ' ',
        );
      })
      .sort();

  it.each(Array.from({ length: WORLDS }, (_, at) => at))(
    'delete and restore like the in-memory model: case %i',
    async (at) => {
      const [[drawn, todo] = [] as never] = fc.sample(fc.tuple(world, steps), { seed: SEED + at, numRuns: 1 });
      await root.post('/api/schema', { schemas: definitions(at, drawn) }).expect(201);
      const model = new DeletionModel(drawn);
      const path = (own: number, id = '') => `/api/content/w${at}s${own}${id && `/${id}`}`;
      const create = async (own: number) =>
        model.add(own, (await root.post(path(own), { title: 't' }).expect(201)).body.data.id);
      for (let n = 0; n < 12; n += 1) await create(n % 4);
      for (const { op, one, other } of todo) {
        const all = [...model.records.values()];
        const record = all[one % all.length];
        if (op === 'create' || record === undefined) {
          await create(one % 4);
          continue;
        }
        let answer: { readonly status: number };
        let status: number;
        if (op === 'link') {
          const place = one % drawn.edges.length;
          const edge = drawn.edges[place];
          const live = (own: number | undefined) =>
            all.filter((entry) => entry.schema === own && entry.deletion === null);
          const [from, to] = [live(edge?.from), live(edge?.to)];
          const [a, b] = [from[one % from.length], to[other % to.length]];
          if (a === undefined || b === undefined) continue;
          model.link(place, a.id, b.id);
          status = 200;
          answer = await root.patch(path(a.schema, a.id), {
            [`e${place}`]: edge?.many === true ? { $add: [b.id] } : b.id,
          });
        } else if (op === 'remove') {
          status = model.remove(record);
          answer = await root.delete(path(record.schema, record.id));
        } else {
          status = model.restore(record);
          answer = await root.post(`${path(record.schema, record.id)}/restore`);
        }
        expect({ op, record, status: answer.status, drawn }).toEqual({ op, record, status, drawn });
        expect(await stored(at, drawn)).toEqual(expected(model, drawn));
      }
    },
  );
});
