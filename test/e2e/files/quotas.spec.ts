import { parseRoleFile } from '../../../src/identity/users/roles/role-file.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { eventsOf } from '../../support/audit-log.js';
import { personWith } from '../../support/content-fixture.js';
import { makeGallery, PNG, send, sendForm, stored, sweep, type UploadAnswer } from '../../support/file-fixture.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

interface Sender {
  readonly client: TestClient;
  readonly token: string;
  readonly id: string;
  readonly role: string;
}

const SIZE = PNG.length;

describe('file quotas', () => {
  const world = useTestApp({ env: { FILES_QUOTA: String(SIZE * 4) } });
  let root: TestClient;
  let ann: Sender;

  beforeAll(async () => {
    ({ root } = await makeGallery(world.app));
  });
  beforeEach(async () => {
    ann = await sender();
  });

  const sender = async (): Promise<Sender> => {
    const { client, id, name } = await personWith(world.app, [
      { resource: 'content.post.*', value: 'allow' },
      { resource: 'content.file.*', value: 'allow' },
    ]);
    return { client, id, role: name, token: client.token ?? '' };
  };
  const sent = (token = ann.token): Promise<UploadAnswer> => send(world.app, PNG, { token });
  const tus = async (): Promise<UploadAnswer> => {
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(SIZE) };
    const path = '/api/files/uploads';
    const begun = await send(world.app, '', { token: ann.token, path, headers });
    if (begun.status !== 201) return begun;
    const more = { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    const ended = await send(world.app, PNG, {
      token: ann.token,
      path: begun.headers.get('location')!,
      method: 'PATCH',
      headers: more,
    });
    return ended.status === 204 ? { ...ended, status: 201 } : ended;
  };
  const ways: readonly (() => Promise<UploadAnswer>)[] = [
    sent,
    tus,
    () => send(world.app, new Blob([PNG]).stream() as never, { token: ann.token }),
    () => sendForm(world.app, (form) => form.append('file', new Blob([PNG]), 'a.png'), { token: ann.token }),
  ];
  const atOnce = async (): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: 16 }, (_, at) => ways[at % ways.length]!()));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, error }) => [status, error])).toEqual(refused.map(() => [507, 'quota_exceeded']));
    const [{ bytes }] = (await world.app.sql<{ bytes: number }>(
      'SELECT coalesce(sum(size), 0)::int AS bytes FROM files WHERE uploaded_by = $1 AND deleted_at IS NULL',
      [ann.id],
    )) as [{ bytes: number }];
    expect(bytes).toBe((16 - refused.length) * SIZE);
    return 16 - refused.length;
  };
  const say = (quota: number | null, name = ann.role) => world.app.get(RoleSeeder).seed([{ name, fileQuota: quota }]);
  const also = async (name: string, quota: number | null): Promise<void> => {
    await world.app.get(RoleSeeder).seed([{ name, fileQuota: quota, permissions: [] }]);
    const add = `INSERT INTO user_roles (user_id, role_id) SELECT $1, id FROM roles WHERE name = $2`;
    await world.app.sql(add, [ann.id, name]);
  };

  it('are not exceeded by sixteen concurrent uploads; deletions free space', async () => {
    const before = stored(world.app).length;
    expect(await atOnce()).toBe(4);
    await sweep(world.app);
    expect(stored(world.app)).toHaveLength(before + 4);
    const [{ id }] = (await world.app.sql<{ id: string }>('SELECT id FROM files WHERE uploaded_by = $1', [ann.id])) as [
      { id: string },
    ];
    await ann.client.delete(`/api/content/files/${id}`).expect(200);
    expect([(await sent()).status, (await sent()).status]).toEqual([201, 507]);
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    expect((await sent(token)).status).toBe(201);
  });

  it.each([
    ['with a quota above the default', [6], 6],
    ['with a quota below the default', [2], 2],
    ['with the largest quota of the roles', [3, null, 5, 1], 5],
    ['without a limit, if one role has none', [3, 0, 5], 16],
    ['with the default, if no role sets a quota', [null, null], 4],
  ] as const)('apply, by the roles of an account, %s', async (what, [own, ...others], files) => {
    const bytes = (quota: number | null): number | null => (quota === null ? null : quota * SIZE);
    await say(bytes(own));
    for (const [at, quota] of others.entries()) await also(`more-${what.length}-${at}`, bytes(quota));
    expect(await atOnce()).toBe(files);
  });

  it('of a role are set by a roles file, and kept if it does not mention them', async () => {
    const read = (role: object) => parseRoleFile(JSON.stringify({ roles: [{ name: ann.role, ...role }] }), () => null);
    for (const quota of [-1, 1.5, '7', true, 1_099_511_627_776_001])
      expect(() => read({ file_quota: quota })).toThrow('roles[0].file_quota must be');
    const seed = async (role: object) => (await world.app.get(RoleSeeder).seed(read(role))).map(({ detail }) => detail);
    const kept = () => world.app.sql('SELECT file_quota::int AS quota FROM roles WHERE name = $1', [ann.role]);
    expect(await seed({ file_quota: SIZE })).toEqual([`file quota ${SIZE}`]);
    expect([await seed({ file_quota: SIZE }), await seed({})]).toEqual([[], []]);
    expect(await seed({ description: 'Careful people' })).toEqual(['Careful people']);
    expect(await kept()).toEqual([{ quota: SIZE }]);
    expect(await seed({ file_quota: null })).toEqual(['Careful people, file quota of FILES_QUOTA']);
    expect(await kept()).toEqual([{ quota: null }]);
    const mine = `action = 'role.seed' AND changes ? 'file_quota' AND resource = $1`;
    const [role] = await world.app.sql<{ id: string }>('SELECT id FROM roles WHERE name = $1', [ann.role]);
    const [event] = await eventsOf(world.app, mine, [`role:${role!.id}`]);
    expect(event!.changes).toMatchObject({ file_quota: { before: null, after: String(SIZE) } });
  });

  it('follow the current roles', async () => {
    await say(SIZE);
    expect([(await sent()).status, (await sent()).status]).toEqual([201, 507]);
    await say(2 * SIZE);
    expect([(await sent()).status, (await sent()).status]).toEqual([201, 507]);
    await say(null);
    expect([(await sent()).status, (await sent()).status, (await sent()).status]).toEqual([201, 201, 507]);
    // A quota below the present usage removes nothing.
    await say(SIZE);
    expect([(await sent()).status, (await ann.client.get('/api/content/files')).status]).toEqual([507, 200]);
  });

  it('cannot be exceeded by larger replacements or by restoring deleted files', async () => {
    await say(2 * SIZE);
    const [{ data: first }, { data: second }] = [await sent(), await sent()];
    const larger = Buffer.concat([PNG, Buffer.alloc(1)]);
    const path = `/api/files/${second.id}`;
    expect(await send(world.app, larger, { token: ann.token, method: 'PUT', path })).toMatchObject({ status: 507 });
    await ann.client.delete(`/api/content/files/${first.id}`).expect(200);
    const third = await sent();
    expect(third.status).toBe(201);
    const restored = await ann.client.post(`/api/content/files/${first.id}/restore`);
    expect([restored.status, restored.body]).toMatchObject([
      507,
      { data: { error: 'quota_exceeded', quota: 2 * SIZE } },
    ]);
    await ann.client.delete(`/api/content/files/${third.data.id}`).expect(200);
    const both = await Promise.all(
      [first, third.data].map(({ id }) => ann.client.post(`/api/content/files/${id}/restore`)),
    );
    expect(both.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 507]);
    await sweep(world.app);
  });

  it('of a role are set by its record, within limits', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    const [role] = await world.app.sql<{ id: string }>('SELECT id FROM roles WHERE name = $1', [ann.role]);
    const path = `/api/content/roles/${role!.id}`;
    for (const quota of [-1, 1.5, 'x', '1e3', 1_099_511_627_776_001, true, [1]]) {
      const answer = await root.patch(path, { file_quota: quota });
      const { data } = answer.body as { data: { errors: { field: string }[] } };
      expect([quota, answer.status, data.errors[0]?.field]).toEqual([quota, 400, 'file_quota']);
    }
    for (const quota of [0, 2 * SIZE, null]) {
      const { body } = await root.patch(path, { file_quota: quota }).expect(200);
      expect((body as { data: { file_quota: number | null } }).data.file_quota).toBe(quota);
    }
    await root.patch(path, { file_quota: SIZE }).expect(200);
    expect(await atOnce()).toBe(1);
    expect((await ann.client.patch(path, { file_quota: 0 })).status).toBe(403);
  });
});
