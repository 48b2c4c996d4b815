import { makeKey } from '../../support/api-keys.js';
import { personWith } from '../../support/content-fixture.js';
import { GIF, makeGallery, PNG, readFile, send } from '../../support/file-fixture.js';
import { createPerson, signIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('a signed URL', () => {
  const world = useTestApp();
  let root: TestClient;
  let token: string;

  beforeAll(async () => {
    await makeGallery(world.app);
  });

  beforeEach(async () => {
    token = await signIn(world.app, await createPerson(world.app, { roles: ['admin'] }));
    root = world.app.as(token);
  });

  const upload = async () => (await send(world.app, PNG, { token, type: 'image/png', name: 'a.png' })).data.id;
  const sign = async (file: string, body: object = {}, own = token) => {
    const answer = await world.app.as(own).post(`/api/files/${file}/url`, body);
    const { data } = answer.body as { data: { url: string; expires_at: string; error?: string } };
    return { status: answer.status, ...data, path: data.url?.slice(world.app.config.appUrl.length) };
  };
  const gone = { status: 404, error: 'file_not_found' };

  it('is valid for every caller, complete, in ranges and for HEAD, until it expires', async () => {
    const file = await upload();
    const { status, path, expires_at } = await sign(file, { expires_in: 600 });
    expect([status, Date.parse(expires_at) - world.app.clock.nowMs() <= 600_000]).toEqual([200, true]);
    const whole = await readFile(world.app, path!);
    expect([whole.status, whole.body, whole.headers.get('cache-control')]).toEqual([200, PNG, 'private, no-cache']);
    expect(whole.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect((await readFile(world.app, path!, { headers: { range: 'bytes=0-3' } })).body).toEqual(PNG.subarray(0, 4));
    expect((await readFile(world.app, path!, { method: 'HEAD' })).status).toBe(200);
    world.app.clock.advance(601);
    expect(await readFile(world.app, path!)).toMatchObject(gone);
  });

  it('displays or downloads as it specifies, with any additions', async () => {
    const file = await upload();
    const { path } = await sign(file, { disposition: 'attachment' });
    for (const more of ['', '&disposition=inline'])
      expect((await readFile(world.app, path! + more)).headers.get('content-disposition')).toBe(
        'attachment; filename=a.png',
      );
  });

  it('is valid for no other file, and with no changed character', async () => {
    const [file, other] = [await upload(), await upload()];
    const path = (await sign(file)).path!;
    const [, access] = path.split('?access=') as [string, string];
    const [payload, signature] = access.split('.') as [string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const forged = (change: object) => Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url');
    const attempts = [
      [other, access],
      [file, `${payload}.`],
      [file, payload],
      [file, `${payload}.${signature}.`],
      [file, `${payload}.${signature}x`],
      [file, `${payload}.${signature.slice(0, -1)}`],
      [file, `.${signature}`],
      [file, ''],
      [file, '..'],
      [file, `${forged({ until: 9_999_999_999 })}.${signature}`],
      [file, `${forged({ file: other })}.${signature}`],
      [other, `${forged({ file: other })}.${signature}`],
      [file, `${forged({ account: null })}.${signature}`],
      [file, `${Buffer.from('null').toString('base64url')}.${signature}`],
    ] as const;
    for (const [id, given] of attempts)
      expect([given, await readFile(world.app, `${id}?access=${encodeURIComponent(given)}`)]).toMatchObject([
        given,
        gone,
      ]);
    expect((await readFile(world.app, `${file}?access=${access}`)).status).toBe(200);
    expect((await readFile(world.app, `${file}?access=x&access=${access}`)).status).toBeLessThan(500);
  });

  it('is bound to the bytes: after a replacement it is not found', async () => {
    const file = await upload();
    const { path } = await sign(file);
    await send(world.app, GIF, { token, method: 'PUT', path: `/api/files/${file}` });
    expect(await readFile(world.app, path!)).toMatchObject(gone);
    expect((await readFile(world.app, (await sign(file)).path!)).body).toEqual(GIF);
  });

  it('is valid as long as its creator can read the file', async () => {
    const post = (
      (await root.post('/api/content/posts', { title: 'x', published: true })).body as { data: { id: string } }
    ).data.id;
    const { data } = await send(world.app, PNG, { token, query: `?schema=post&record=${post}&field=cover` });
    const reader = await personWith(world.app, [{ resource: 'content.post.get', value: 'record.published' }]);
    const { path } = await sign(data.id, {}, reader.client.token);
    const status = async () => (await readFile(world.app, path!)).status;
    expect(await status()).toBe(200);
    await root.patch(`/api/content/posts/${post}`, { published: false }).expect(200);
    expect(await status()).toBe(404);
    await root.patch(`/api/content/posts/${post}`, { published: true }).expect(200);
    expect(await status()).toBe(200);
    await root.patch(`/api/content/users/${reader.id}`, { activated: false }).expect(200);
    expect(await status()).toBe(404);
    await root.patch(`/api/content/users/${reader.id}`, { activated: true }).expect(200);
    expect(await status()).toBe(200);
    await root.delete(`/api/content/users/${reader.id}`).expect(200);
    expect(await status()).toBe(404);
  });

  it('is revoked with the session if it says so; an API key has none', async () => {
    const file = await upload();
    const [bound, free] = [await sign(file, { session: true }), await sign(file)];
    expect((await readFile(world.app, bound.path!)).status).toBe(200);
    const { key } = await makeKey(world.app, token);
    expect((await sign(file, { session: true }, key)).status).toBe(422);
    expect((await sign(file, {}, key)).status).toBe(200);
    await root.post('/api/auth/logout').expect(200);
    expect(await readFile(world.app, bound.path!)).toMatchObject(gone);
    expect((await readFile(world.app, free.path!)).status).toBe(200);
  });

  it('of an API key is revoked with the key, and limited to its scopes', async () => {
    const file = await upload();
    const end = async (id: string) => root.delete(`/api/auth/keys/${id}`).expect(200);
    const [ended, kept] = [await makeKey(world.app, token), await makeKey(world.app, token)];
    const [one, other] = [await sign(file, {}, ended.key), await sign(file, {}, kept.key)];
    for (const { path } of [one, other]) expect((await readFile(world.app, path!)).status).toBe(200);
    await end(ended.id);
    expect(await readFile(world.app, one.path!)).toMatchObject(gone);
    expect((await readFile(world.app, other.path!)).status).toBe(200);

    const scopes = [{ resource: 'content.file.get', value: `record.name == 'a.png'` }];
    const { key } = await makeKey(world.app, token, { scopes });
    const cut = await sign(file, {}, key);
    expect((await readFile(world.app, cut.path!)).status).toBe(200);
    await world.app.sql(`UPDATE files SET name = 'b.png' WHERE id = $1`, [file]);
    expect(await readFile(world.app, cut.path!)).toMatchObject(gone);
    expect((await readFile(world.app, other.path!)).status).toBe(200);
    const short = await makeKey(world.app, token, { expires_in_days: 1 });
    const brief = await sign(file, { expires_in: 604_800 }, short.key);
    expect((await readFile(world.app, brief.path!)).status).toBe(200);
    world.app.clock.advance(86_401);
    expect(await readFile(world.app, brief.path!)).toMatchObject(gone);
    expect((await readFile(world.app, (await sign(file, {}, kept.key)).path!)).status).toBe(200);
  });

  it('is valid for a week at most, and rejected for invalid parameters', async () => {
    const file = await upload();
    for (const body of [
      { expires_in: 0 },
      { expires_in: 604_801 },
      { expires_in: '60' },
      { disposition: 'x' },
      { session: 1 },
    ])
      expect([body, (await sign(file, body)).status]).toEqual([body, 422]);
    expect((await sign(file, { expires_in: 604_800 })).status).toBe(200);
  });
});
