import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { personWith } from '../../support/content-fixture.js';
import { author, GIF, makeGallery, PNG, readFile, send } from '../../support/file-fixture.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Permissions = Parameters<typeof personWith>[1];

const EVERY_WAY = [
  ['whole', {}, 'GET'],
  ['a part', { range: 'bytes=0-3' }, 'GET'],
  ['head', {}, 'HEAD'],
  ['another size', {}, 'GET', '?size=thumb'],
  ['head of another size', {}, 'HEAD', '?size=thumb'],
] as const;

describe('reading a file', () => {
  const world = useTestApp();
  let root: TestClient;
  let token: string;
  let post: string;
  let cover: string;
  let image: string;
  let loose: string;

  const upload = async (query = '') => (await send(world.app, PNG, { token, type: 'image/png', query })).data.id;
  const make = async (schema: string, body: object) => {
    const answer = await root.post(`/api/content/${schema}`, body).expect(201);
    return (answer.body as { data: { id: string } }).data.id;
  };
  /** Returns whether a user may read a file, which must not depend on the kind of request. */
  const mayRead = async (file: string, own?: string): Promise<boolean> => {
    const answers = await Promise.all([
      ...EVERY_WAY.map(([, headers, method, size = '']) =>
        readFile(world.app, file + size, { token: own, headers, method }),
      ),
      send(world.app, '{}', { token: own, type: 'application/json', path: `/api/files/${file}/url` }),
    ]);
    const allowed = answers.map(({ status }) => status < 300);
    expect(new Set(allowed).size).toBe(1);
    const [first] = answers;
    if (!allowed[0]) expect(first).toMatchObject({ status: 404, error: 'file_not_found' });
    return allowed[0]!;
  };
  const as = async (permissions: Permissions) => (await personWith(world.app, permissions)).client.token!;
  const missing = '019a0000-0000-7000-8000-000000000000';

  beforeAll(async () => {
    ({ root, token } = await makeGallery(world.app));
    post = await make('posts', { title: 'x', published: true });
    cover = await upload(`?schema=post&record=${post}&field=cover`);
    image = await upload(`?schema=post&record=${post}&field=images`);
    loose = await upload();
  });

  it.each<[string, Permissions, boolean, boolean, boolean]>([
    ['all permissions', [{ resource: '*', value: 'allow' }], true, true, true],
    ['permission to get files', [{ resource: 'content.file.get', value: 'allow' }], true, true, true],
    ['permission to list files only', [{ resource: 'content.file.list', value: 'allow' }], false, false, false],
    [
      'permission to get images only',
      [{ resource: 'content.file.get', value: `record.type == 'image/gif'` }],
      false,
      false,
      false,
    ],
    [
      'permission to get small files',
      [{ resource: 'content.file.get', value: 'record.size < 1000' }],
      true,
      true,
      true,
    ],
    ['permission to get posts', [{ resource: 'content.post.get', value: 'allow' }], true, true, false],
    ['permission to list posts', [{ resource: 'content.post.list', value: 'allow' }], true, true, false],
    [
      'permission to update posts, but not to read them',
      [{ resource: 'content.post.update', value: 'allow' }],
      false,
      false,
      false,
    ],
    [
      'permission to read published posts',
      [{ resource: 'content.post.get', value: 'record.published' }],
      true,
      true,
      false,
    ],
    ['permission to read drafts', [{ resource: 'content.post.get', value: '!record.published' }], false, false, false],
    [
      'permission to read only the cover of posts',
      [{ resource: 'content.post.get', value: 'allow', fields: { read: ['title', 'cover'] } }],
      true,
      false,
      false,
    ],
    [
      'permission to read the cover of drafts, and the title of published posts',
      [
        { resource: 'content.post.*', value: '!record.published', fields: { read: ['cover', 'images'] } },
        { resource: 'content.post.get', value: 'record.published', fields: { read: ['title'] } },
      ],
      false,
      false,
      false,
    ],
    [
      'a denial for posts and files',
      [
        { resource: 'content.*', value: 'allow' },
        { resource: 'content.post.*', value: 'deny' },
        { resource: 'content.file.*', value: 'deny' },
      ],
      false,
      false,
      false,
    ],
    ['permission to read chapters', [{ resource: 'content.chapter.get', value: 'allow' }], false, false, false],
    ['no permission', [], false, false, false],
  ])('follows the permissions: %s', async (_who, permissions, ...expected) => {
    const own = await as(permissions);
    expect([await mayRead(cover, own), await mayRead(image, own), await mayRead(loose, own)]).toEqual(expected);
    // A record does not reveal its file to others: neither alone, nor in a list, nor if the field is selected by name.
    for (const path of [`/${post}`, `/${post}?select=cover_id`, '', '?select=cover_id']) {
      const { status, text } = await world.app.as(own).get(`/api/content/posts${path}`);
      const isRevealed = text.includes(cover);
      expect([path, isRevealed]).toEqual([path, expected[0] && status === 200]);
    }
  });

  it('returns the same 404 to a stranger, a guest and the uploader as a missing file', async () => {
    const ann = await author(world.app);
    const { data } = await send(world.app, GIF, { token: ann.token });
    const stranger = await as([]);
    for (const own of [stranger, undefined, ann.token]) expect(await mayRead(missing, own)).toBe(false);
    for (const own of [stranger, undefined]) expect(await mayRead(data.id, own)).toBe(false);
  });

  it('is allowed for guests who can read the record, and is then cacheable', async () => {
    await world.app
      .get(RoleSeeder)
      .seed([
        { name: 'guest', permissions: [{ resource: 'content.post.get', value: 'record.published', fields: null }] },
      ]);
    try {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      expect([await mayRead(cover), await mayRead(loose)]).toEqual([true, false]);
      const { headers } = await readFile(world.app, cover);
      expect([headers.get('cache-control'), headers.get('cross-origin-resource-policy')]).toEqual([
        'public, no-cache',
        'cross-origin',
      ]);
    } finally {
      await world.app.get(RoleSeeder).seed([{ name: 'guest', permissions: [] }]);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    }
    expect(await mayRead(cover)).toBe(false);
  });

  it('depends on the record: it follows each change of the record, the link and the file', async () => {
    const own = await as([{ resource: 'content.post.get', value: 'record.published' }]);
    const draft = await make('posts', { title: 'x' });
    const file = await upload(`?schema=post&record=${draft}&field=cover`);
    const seen: boolean[] = [];
    const steps = [
      () => root.patch(`/api/content/posts/${draft}`, { published: true }),
      () => root.patch(`/api/content/posts/${draft}`, { published: false }),
      () => root.patch(`/api/content/posts/${draft}`, { published: true }),
      () => root.delete(`/api/content/posts/${draft}`),
      () => root.post(`/api/content/posts/${draft}/restore`),
      () => root.patch(`/api/content/posts/${draft}`, { cover: null }),
      () => root.patch(`/api/content/posts/${draft}`, { cover: file }),
      () => root.delete(`/api/content/files/${file}`),
      () => root.post(`/api/content/files/${file}/restore`),
    ];
    for (const step of [() => Promise.resolve({ status: 200 }), ...steps]) {
      expect((await step()).status).toBeLessThan(300);
      seen.push(await mayRead(file, own));
    }
    expect(seen).toEqual([false, true, false, true, false, true, false, true, false, true]);
  });

  it('depends on the current caller: not after a change of roles, a sign-out or a deactivation', async () => {
    const { person, token: own } = await signedIn(world.app, { roles: ['admin'] });
    const other = await signedIn(world.app, { roles: ['admin'] });
    expect(await mayRead(cover, own)).toBe(true);
    await root.patch(`/api/content/users/${person.id}`, { roles: [] }).expect(200);
    expect(await mayRead(cover, own)).toBe(false);
    await world.app.as(other.token).post('/api/auth/logout').expect(200);
    expect(await readFile(world.app, cover, { token: other.token })).toMatchObject({ status: 401 });
    await root.patch(`/api/content/users/${person.id}`, { activated: false }).expect(200);
    expect(await readFile(world.app, cover, { token: own })).toMatchObject({ status: 401 });
  });
});
