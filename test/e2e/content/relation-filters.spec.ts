import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { statementsOf } from '../../support/sent-statements.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const ITEMS = '/api/content/items';

/** A filter over a relation searches its records once, even with an exact total. */
describe('filtered lists over a relation with their total', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    const schemas = [
      schema(
        'item',
        // The same names as those of intermediate results in the statement.
        [field('int', 's0', { optional: true }), field('int', 'key'), relation('box', 'box', 'items', 'm2o')],
        { namespace: 'items' },
      ),
      schema('box', [relation('items', 'item', 'box', 'o2m', { owner: true })], { namespace: 'boxes' }),
    ];
    await root.post('/api/schema', { schemas }).expect(201);
    const boxes: string[] = [];
    for (const title of ['red', 'blue'])
      boxes.push((await root.post('/api/content/boxes', { title }).expect(201)).body.data.id);
    const items = Array.from({ length: 23 }, (_, at) => ({
      title: `item ${String(at).padStart(2, '0')}`,
      s0: at % 5 === 0 ? null : at % 7,
      key: -at,
      box: boxes[at % 2],
    }));
    await root.post(ITEMS, items).expect(201);
  });

  const query = (more: Record<string, string>) =>
    `${ITEMS}?${new URLSearchParams({ filter: RED, ...more }).toString()}`;
  const RED = '{"box.title":"red"}';
  const titles = ({ body }: { body: { data: { items: { title: string }[] } } }) =>
    body.data.items.map(({ title }) => title);

  it.each(['s0', '-s0', 'key', '-key', '-title', 's0,-key', 'box.title,-title'])(
    'have pages in the order of %s without duplicates or gaps',
    async (sort) => {
      const whole = await root.get(query({ sort, limit: '50', count: 'none' })).expect(200);
      const paged: string[] = [];
      for (const page of ['1', '2', '3', '4']) {
        const answer = await root.get(query({ sort, limit: '5', page })).expect(200);
        expect(answer.body.data.total).toBe(12);
        paged.push(...titles(answer));
      }
      expect(paged).toEqual(titles(whole));
      expect(paged).toHaveLength(12);
      const cursored: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const answer: { body: { data: { items: { title: string }[]; next_cursor: string | null } } } = await root
          .get(query({ sort, limit: '5', cursor }))
          .expect(200);
        cursored.push(...titles(answer));
        cursor = answer.body.data.next_cursor;
      }
      expect(cursored).toEqual(paged);
    },
  );

  it('return the total for a page beyond the end and for no match', async () => {
    const beyond = await root.get(query({ page: '9' })).expect(200);
    expect(beyond.body.data).toMatchObject({ items: [], total: 12 });
    const nothing = await root.get(query({ filter: '{"box.title":"green"}' })).expect(200);
    expect(nothing.body.data).toMatchObject({ items: [], total: 0 });
  });

  it('apply the rule over the relation with one look-up', async () => {
    const rule = `record.box.title == "blue"`;
    const { client } = await personWith(world.app, [
      { resource: 'content.item.list', value: rule },
      { resource: 'content.box.*', value: 'allow' },
    ]);
    let answer: { body: { data: { total: number } } } | undefined;
    const sent = await statementsOf(async () => {
      answer = await client.get(`${ITEMS}?limit=3`).expect(200);
    });
    expect(answer?.body.data.total).toBe(11);
    const [{ text } = { text: '' }] = sent.filter((one) => one.text.includes('"items"'));
    expect(text.match(/= \$\d+::text/g)).toHaveLength(1);
  });
});
