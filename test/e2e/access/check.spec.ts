import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/access/check';

interface Fault {
  readonly index: number;
  readonly field: string;
  readonly message: string;
  readonly start?: number;
  readonly end?: number;
}

describe('POST /api/access/check', () => {
  const world = useTestApp();
  let root: TestClient;
  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  async function check(permissions: unknown, client = root): Promise<{ valid: boolean; faults: readonly Fault[] }> {
    const { body } = await client.post(PATH, { permissions }).expect(200);
    return (body as { data: { valid: boolean; faults: readonly Fault[] } }).data;
  }
  const permissions = () => world.app.sql('SELECT count(*) AS count FROM permissions');

  it('returns all errors of all rules, and saves nothing', async () => {
    const before = await permissions();
    const { valid, faults } = await check([
      { resource: 'content.post.list', value: 'allow' },
      { resource: 'content post', value: 'perhaps' },
      { resource: 'content.post.get', value: 'record.titel == "x"', fields: { read: 'title' } },
      { resource: 'auth.*', value: '', fields: { write: [1], other: [] } },
      {},
    ]);
    expect(valid).toBe(false);
    expect(faults.map(({ index, field }) => [index, field])).toEqual([
      [1, 'resource'],
      [2, 'value'],
      [2, 'fields.read'],
      [3, 'value'],
      [3, 'fields.write'],
      [3, 'fields'],
      [4, 'resource'],
      [4, 'value'],
    ]);
    expect(await permissions()).toEqual(before);
  });

  it('returns the position of an error in a rule', async () => {
    const cases = [
      ['record.status == "a" && record.titel == "x"', 'titel'],
      ['record.views > "ten"', 'record.views > "ten"'],
      ['"🔑" == "🔑" && record.nothing', 'nothing'],
    ] as const;
    for (const [rule, part] of cases) {
      const { faults } = await check([{ resource: 'content.post.get', value: rule }]);
      const [{ start, end, message } = { message: '' }] = faults as Fault[];
      expect([rule, rule.slice(start, end)]).toEqual([rule, part]);
      expect(message).not.toMatch(/characters \d/);
    }
  });

  it('accepts what can be saved, and returns the same errors as saving', async () => {
    const rules = [
      'allow',
      'deny',
      'record.status == "published"',
      'record.owner.id == auth.id',
      'now > record.made_at',
      'x',
      ')',
      'true',
    ];
    const role = (await root.post('/api/content/roles', { name: 'checked' }).expect(201)).body as {
      data: { id: string };
    };
    for (const value of rules) {
      const permission = { resource: `content.post.get`, value };
      const { valid, faults } = await check([permission]);
      const saved = await root.post('/api/content/permission', { ...permission, role: { id: role.data.id } });
      expect([value, saved.status < 300]).toEqual([value, valid]);
      if (valid) await root.delete(`/api/content/permission/${(saved.body as { data: { id: string } }).data.id}`);
      else expect(JSON.stringify(saved.body)).toContain(JSON.stringify(faults[0]!.message).slice(1, -1));
    }
  });

  it('needs the permission', async () => {
    const body = { permissions: [] };
    await world.app.asGuest().post(PATH, body).expect(401);
    await (await personWith(world.app, [])).client.post(PATH, body).expect(403);
    const { client } = await personWith(world.app, [{ resource: 'access.explain', value: 'allow' }]);
    expect(await check([], client)).toEqual({ valid: true, faults: [] });
  });

  it('uses the permissions of the user that is viewed as', async () => {
    const { id } = await personWith(world.app, [{ resource: 'access.explain', value: 'allow' }]);
    const other = await personWith(world.app, []);
    const asked = (header: string) => root.post(PATH, { permissions: [] }).set('lintel-view-as', header);
    await asked(`user:${id}`).expect(200);
    await asked(`user:${other.id}`).expect(403);
    await asked('guest').expect(401);
  });

  it.each([undefined, null, 'content.*', {}, [null], ['content.*'], [[]], Array.from({ length: 1_001 }, () => ({}))])(
    'rejects anything but a list of permissions',
    async (list) => {
      const { status, body } = await root.post(PATH, { permissions: list });
      expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('"permissions"')]);
    },
  );

  it('survives any values in them', async () => {
    const odd = [
      null,
      0,
      true,
      [],
      {},
      '\u0000',
      '\ud800',
      'x'.repeat(5_000),
      '('.repeat(500),
      `record.${'a.'.repeat(900)}b`,
    ];
    for (const value of odd)
      for (const name of ['resource', 'value', 'fields']) {
        const permission = { resource: 'content.post.get', value: 'allow', fields: null, [name]: value };
        await check([permission]);
      }
  });
});
