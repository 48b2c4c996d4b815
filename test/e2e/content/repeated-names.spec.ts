import { makeMagazine } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const LIST = '/api/content/posts';
const SUMS = '/api/content/posts/aggregate';
/** List parameters: path, parameter, and a valid name. */
const PARAMETERS = [
  [LIST, 'select', 'title'],
  [LIST, 'select', 'category.title'],
  [LIST, 'sort', 'title'],
  [LIST, 'sort', 'category.title'],
  [`${LIST}/export`, 'select', 'title'],
  [`${LIST}/export`, 'sort', 'title'],
  ...['sum', 'avg', 'min', 'max'].map((name) => [SUMS, name, 'views'] as const),
  [`${SUMS}?count=*`, 'group', 'status'],
  [`${SUMS}?count=*`, 'group', 'category.title'],
] as const;

describe('a repeated name in a list', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  const ask = (path: string, query: string) => root.get(`${path}${path.includes('?') ? '&' : '?'}${query}`);

  it.each(PARAMETERS)('is rejected: %s %s=%s', async (path, parameter, name) => {
    await ask(path, `${parameter}=${name}`).expect(200);
    const message = `has "${name}" more than once`;
    const spellings = [
      `${parameter}=${name},${name}`,
      `${parameter}=${name}&${parameter}=${name}`,
      `${parameter}=${name},${name},${name}`,
      ...(parameter === 'sort' ? [`sort=${name},-${name}`, `sort=-${name}, ${name}`] : []),
    ];
    for (const query of spellings) {
      const { body } = await ask(path, query).expect(400);
      expect(body.data).toEqual({
        error: 'query_invalid',
        errors: [{ field: parameter, code: 'repeated_name', message }],
      });
    }
  });

  it('is rejected in the sort over a relation, and in the response of a write', async () => {
    const relations = encodeURIComponent(JSON.stringify({ tags: { sort: 'title,-title' } }));
    const { body } = await root.get(`${LIST}?select=tags&relations=${relations}`).expect(400);
    expect(body.data.errors).toEqual([
      expect.objectContaining({ field: 'relations.tags.sort', code: 'repeated_name' }),
    ]);
    await root.post(`${LIST}?select=id,id`, { title: 'x' }).expect(400);
    expect((await root.get(LIST).expect(200)).body.data.total).toBe(0);
  });

  it('is rejected in the list of schemas that a plan removes', async () => {
    const { body } = await root.post('/api/schema/plan?remove=comment,comment', { schemas: [] }).expect(400);
    expect(body.message).toContain('"remove"');
  });

  it('is allowed with another function', async () => {
    await root.get(`${SUMS}?min=views&max=views&sum=views,score`).expect(200);
  });
});
