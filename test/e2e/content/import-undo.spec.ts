import { makeMagazine } from '../../support/content-fixture.js';
import { ImportJobs } from '../../support/import-jobs.js';
import { relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const ACTIONS = ['cascade', 'restrict', 'set_null'] as const;

describe('undoing an import', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  const write = async (path: string, body: object): Promise<{ id: string; title: string }[]> =>
    [((await root.post(`/api/content/${path}`, body).expect(201)).body as { data: unknown }).data].flat() as never;
  const titles = async (path: string): Promise<readonly string[]> => {
    const { body } = await root.get(`/api/content/${path}?sort=title&limit=100`).expect(200);
    return (body as { data: { items: { title: string }[] } }).data.items.map(({ title }) => title);
  };
  const named = async (path: string): Promise<Readonly<Record<string, string>>> => {
    const { body } = await root.get(`/api/content/${path}?limit=100`).expect(200);
    const { items } = (body as { data: { items: { id: string; title: string }[] } }).data;
    return Object.fromEntries(items.map(({ id, title }) => [title, id]));
  };
  const undo = async (jobs: ImportJobs, id: string) => {
    await root.post(`/api/imports/${id}/undo`, {}).expect(202);
    return jobs.settled(id);
  };

  describe.each(ACTIONS.flatMap((action) => [false, true].map((isForGood) => [action, isForGood] as const)))(
    'with later records that refer by %s, timestamps disabled: %s',
    (action, isForGood) => {
      const name = `a_${action}_${isForGood ? 'n' : 't'}`;
      const child = `b_${action}_${isForGood ? 'n' : 't'}`;

      beforeAll(async () => {
        const more = { disable_timestamp: isForGood };
        const refers = { owner: false, on_delete: action };
        const schemas = [
          schema(name, [relation('items', child, 'of', 'o2m', { owner: true })], more),
          schema(child, [relation('of', name, 'items', 'o2m', refers)], more),
        ];
        await root.post('/api/schema?back_refs=create', { schemas }).expect(201);
      });

      it('keeps them, and reports the records that they refer to', async () => {
        const jobs = new ImportJobs(world.app, root, name);
        const job = await jobs.sent('title\np\nq\nr\n', 'apply=true');
        const { p = '', r = '' } = await named(name);
        await write(child, [
          { title: 'precious', of: p },
          { title: 'other', of: r },
        ]);
        expect(await undo(jobs, job.id)).toMatchObject({ state: 'undone', removed: 1 });
        expect(await jobs.faults(job.id)).toEqual([
          [2, name, 'record_in_use'],
          [4, name, 'record_in_use'],
        ]);
        expect([await titles(name), await titles(child)]).toEqual([
          ['p', 'r'],
          ['other', 'precious'],
        ]);
        const { body } = await root.get(`/api/content/${child}?select=title,of.title&sort=title`).expect(200);
        expect(body).toMatchObject({ data: { items: [{ of: { title: 'r' } }, { of: { title: 'p' } }] } });
      });
    },
  );

  it('keeps the records that a remaining record refers to, also in other chunks', async () => {
    const schemas = [
      schema('node', [
        relation('parent', 'node', 'children', 'o2m', { on_delete: 'cascade' }),
        relation('children', 'node', 'parent', 'o2m', { owner: true, on_delete: 'cascade' }),
      ]),
    ];
    await root.post('/api/schema?back_refs=create', { schemas }).expect(201);
    const jobs = new ImportJobs(world.app, root, 'node');
    const filler = Array.from({ length: 1_500 }, (_, at) => `f${at},`);
    const first = await jobs.sent(`title,parent.id\nroot,\n`, 'apply=true');
    const { root: top = '' } = await named('node');
    const job = await jobs.sent(['title,parent.id', `x,${top}`, ...filler, `y,${top}`].join('\n'), 'apply=true');
    expect(job).toMatchObject({ state: 'done', created: 1_502 });
    expect(await undo(jobs, first.id)).toMatchObject({ state: 'undone', removed: 0, faults: 1 });
    expect(await undo(jobs, job.id)).toMatchObject({ state: 'undone', removed: 1_502, faults: 0 });
    expect(await titles('node')).toEqual(['root']);
  });

  it('deletes records that refer to each other within the import', async () => {
    const jobs = new ImportJobs(world.app, root, 'node');
    const ids = Array.from({ length: 4 }, () => crypto.randomUUID());
    const lines = ids.map(
      (id, at) => `{"id":"${id}","title":"n${at}","parent":${at === 0 ? 'null' : `"${ids[at - 1]}"`}}`,
    );
    const job = await jobs.sent(lines.join('\n'), 'format=ndjson&generated=keep&apply=true');
    expect(job).toMatchObject({ state: 'done', created: 4 });
    expect(await undo(jobs, job.id)).toMatchObject({ state: 'undone', removed: 4, faults: 0 });
  });

  it('keeps a whole chain of the import if a later record refers to its end', async () => {
    const jobs = new ImportJobs(world.app, root, 'node');
    const ids = Array.from({ length: 4 }, () => crypto.randomUUID());
    const lines = ids.map(
      (id, at) => `{"id":"${id}","title":"n${at}","parent":${at === 0 ? 'null' : `"${ids[at - 1]}"`}}`,
    );
    const job = await jobs.sent([...lines, '{"title":"alone"}'].join('\n'), 'format=ndjson&generated=keep&apply=true');
    await write('node', { title: 'later', parent: ids[3] });
    expect(await undo(jobs, job.id)).toMatchObject({ state: 'undone', removed: 1, faults: 4 });
    expect(await titles('node')).toEqual(['later', 'n0', 'n1', 'n2', 'n3', 'root']);
  });
});
