import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/kernel/keys/random.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { eventsOf } from '../../support/audit-log.js';
import {
  announce,
  announcement,
  complete,
  PART,
  piecesOf,
  put,
  putAll,
  sendDirect,
  stateOf,
  outcomeOf,
} from '../../support/direct-uploads.js';
import { DirectUploadFixture } from '../../support/direct-upload-fixture.js';
import { author, known, PNG, send, sha256, sweep } from '../../support/file-fixture.js';
import { VERSITYGW } from '../../support/s3-store.js';
import type { TestClient } from '../../support/test-client.js';

const described = VERSITYGW === '' ? describe.skip : describe;

described('a direct upload to the bucket', () => {
  const world = DirectUploadFixture.use();

  it('is rejected if it differs from its announcement, and leaves nothing', async () => {
    const html = Buffer.from('<html><script>alert(1)</script>');
    const record = (await world.root.post('/api/content/badges', { title: 'x' }).expect(201)).body as {
      data: { id: string };
    };
    const place = { schema: 'badge', record: record.data.id, field: 'face' };
    const tries: readonly [Uint8Array, object, string][] = [
      [html, { type: 'image/png' }, 'file_type_not_allowed'],
      [html, { type: 'image/gif' }, 'file_type_not_allowed'],
      [Buffer.concat([Buffer.from('GIF89a'), html]), { type: 'image/png' }, 'file_type_not_allowed'],
      [html, { type: 'text/plain', ...place }, 'file_type_not_allowed'],
      [randomBytes(10), { sha256: sha256(html) }, 'checksum_mismatch'],
    ];
    for (const [bytes, more, error] of tries) {
      const announced = await announce(world.ann.client, bytes, more);
      const parts = await putAll(announced.data, bytes);
      expect(outcomeOf(await complete(world.ann.client, announced.data.id, parts))).toEqual([422, error]);
      expect((await put(announced.data.parts[0]!, bytes)).status).toBe(404);
      expect(outcomeOf(await complete(world.ann.client, announced.data.id, parts))).toEqual([404, 'file_not_found']);
      expect(outcomeOf(await stateOf(world.ann.client, announced.data.id))).toEqual([404, 'file_not_found']);
      await world.nothingStays();
    }
    // A user who may not change the record stores nothing either.
    expect(outcomeOf(await sendDirect(world.ann.client, PNG, place))).toEqual([403, 'permission_denied']);
    const gone = { schema: 'post', record: newId(), field: 'images' };
    expect(outcomeOf(await sendDirect(world.ann.client, PNG, gone))).toEqual([404, 'record_not_found']);
    await world.nothingStays();
  });

  it('is rejected before the first byte if it is too large or invalid', async () => {
    const bytes = randomBytes(10);
    const sums = announcement(bytes)['checksums'];
    const tries: readonly [object, unknown[]][] = [
      [{ size: 6 * PART + 1, checksums: Array(7).fill(sha256(bytes)) }, [413, 'file_too_large']],
      [{ size: 1_001, schema: 'badge', record: newId(), field: 'face' }, [413, 'file_too_large']],
      [{ size: 0, checksums: [] }, [422, 'validation_failed', 'size: value_invalid']],
      [{ size: '10' }, [422, 'validation_failed', 'size: value_invalid']],
      [{ size: 1.5 }, [422, 'validation_failed', 'size: value_invalid']],
      [{ size: undefined }, [422, 'validation_failed', 'size: required']],
      [{ part_size: PART - 1 }, [422, 'validation_failed', 'part_size: value_invalid']],
      [{ part_size: null }, [422, 'validation_failed', 'part_size: required']],
      [{ size: 1_001 * PART }, [422, 'validation_failed', 'part_size: value_invalid']],
      [{ checksums: [] }, [422, 'validation_failed', 'checksums: value_invalid']],
      [{ checksums: [sums, sums] }, [422, 'validation_failed', 'checksums: digest_invalid']],
      [{ checksums: ['x'] }, [422, 'validation_failed', 'checksums: digest_invalid']],
      [{ checksums: sha256(bytes) }, [422, 'validation_failed', 'checksums: type_invalid']],
      [{ checksums: undefined }, [422, 'validation_failed', 'checksums: required']],
      [{ sha256: 'x' }, [422, 'validation_failed', 'sha256: digest_invalid']],
      [{ name: 7 }, [422, 'validation_failed', 'name: type_invalid']],
      [{ schema: 'post' }, [422, 'validation_failed', 'record: required', 'field: required']],
    ];
    for (const [more, expected] of tries)
      expect(outcomeOf(await announce(world.ann.client, bytes, more))).toEqual(expected);
    expect(world.store.seen).toEqual([]);
    await world.nothingStays();
  });

  it('needs all parts with their tags, and is unchanged until then', async () => {
    const bytes = randomBytes(PART + 1);
    const { data } = await announce(world.ann.client, bytes);
    const { data: other } = await announce(world.ann.client, randomBytes(10));
    const strange = (await put(other.parts[0]!, randomBytes(10))).etag;
    const first = await put(data.parts[0]!, piecesOf(bytes)[0]!);
    const one = { number: 1, etag: first.etag };
    const missing = await complete(world.ann.client, data.id, [one]);
    expect([outcomeOf(missing), missing.data['missing']]).toEqual([[400, 'upload_incomplete'], [2]]);
    const { etag } = await put(data.parts[1]!, piecesOf(bytes)[1]!);
    const two = { number: 2, etag };
    const wrong: readonly unknown[] = [
      [],
      [one],
      [one, { number: 2, etag: strange }],
      [one, { number: 2, etag: first.etag }],
      [one, { number: 2, etag: '' }],
      [one, two, two],
      [one, two, { number: 3, etag }],
      [one, { number: 3, etag }],
      [one, { number: '2', etag }],
      [one, { number: 2 }],
      [one, null],
      'x',
      { length: 2 },
    ];
    for (const parts of wrong)
      expect(outcomeOf(await complete(world.ann.client, data.id, parts))).toEqual([
        422,
        'validation_failed',
        'parts: value_invalid',
      ]);
    expect(outcomeOf(await complete(world.ann.client, data.id, undefined))[2]).toBe('parts: required');
    expect(
      (await complete(world.ann.client, data.id, [two, { ...one, etag: one.etag.replaceAll('"', '') }])).status,
    ).toBe(201);
    await world.ann.client.delete(`/api/files/direct/${other.id}`).expect(204);
  });

  it('is completed by one of sixteen concurrent requests, and only once', async () => {
    const bytes = randomBytes(PART + 1);
    const { data } = await announce(world.ann.client, bytes);
    const parts = await putAll(data, bytes);
    const answers = await Promise.all(Array.from({ length: 16 }, () => complete(world.ann.client, data.id, parts)));
    const lost = answers.filter(({ status }) => status !== 201);
    expect(lost.map(outcomeOf)).toEqual(Array.from({ length: 15 }, () => [409, 'upload_offset']));
    expect(await world.app.sql('SELECT state FROM file_objects WHERE owner = $1', [world.ann.id])).toEqual([
      { state: 'live' },
    ]);
    expect(outcomeOf(await complete(world.ann.client, data.id, parts))).toEqual([409, 'upload_offset']);
    expect((await put(data.parts[1]!, piecesOf(bytes)[1]!)).status).toBe(404);
    expect((await world.ann.client.delete(`/api/files/direct/${data.id}`)).status).toBe(404);
    const { file, parts: none } = (await stateOf(world.ann.client, data.id)).data;
    expect([file?.sha256, none.map(({ url }) => url)]).toEqual([sha256(bytes), [null, null]]);
    const log = await eventsOf(world.app, `action = 'file.upload'`);
    expect(log.filter(({ resource }) => resource === `file:${data.id}`)).toHaveLength(1);
  });

  it('reserves its quota when it is announced: sixteen concurrent ones fit only the remaining space', async () => {
    const bytes = Buffer.alloc(2 * PART);
    const answers = await Promise.all(Array.from({ length: 16 }, () => announce(world.ann.client, bytes)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(outcomeOf)).toEqual(Array.from({ length: 12 }, () => [507, 'quota_exceeded']));
    expect(await send(world.app, PNG, { token: world.ann.token })).toMatchObject({ status: 507 });
    const begun = answers.filter(({ status }) => status === 201).map(({ data }) => data.id);
    await Promise.all(begun.map((id) => world.ann.client.delete(`/api/files/direct/${id}`).expect(204)));
    await world.nothingStays();
    expect((await announce(world.ann.client, bytes)).status).toBe(201);
    await sweep(world.app, 25);
    await world.nothingStays();
  });

  it('respects the quota of a field on completion, and waits until there is space', async () => {
    const made = await world.root.post('/api/content/badges', { title: 'x' }).expect(201);
    const record = (made.body as { data: { id: string } }).data.id;
    const client = world.root;
    const place = { schema: 'badge', record, field: 'stamps' };
    const begun = await Promise.all(Array.from({ length: 16 }, () => announce(client, PNG, place)));
    const ends = await Promise.all(begun.map(async ({ data }) => complete(client, data.id, await putAll(data, PNG))));
    expect(ends.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
      201,
      ...Array<number>(15).fill(507),
    ]);
    const late = begun[ends.findIndex(({ status }) => status === 507)]!.data;
    await client.patch(`/api/content/badges/${record}`, { stamps: [] }).expect(200);
    const { parts } = (await stateOf(client, late.id)).data;
    expect([parts.map(({ url }) => url), (await complete(client, late.id, [])).status]).toEqual([[null], 201]);
    await sweep(world.app, 25);
  });

  it('belongs to its uploader, as long as the uploader may upload files', async () => {
    const { data } = await announce(world.ann.client, PNG);
    const parts = await putAll(data, PNG);
    const all = async (client: TestClient, id: string): Promise<unknown[][]> => {
      const { status, body } = await client.delete(`/api/files/direct/${id}`);
      const removed = [status, (body as { data: { error: string } }).data.error];
      return [outcomeOf(await stateOf(client, id)), outcomeOf(await complete(client, id, parts)), removed];
    };
    const missing = [404, 'file_not_found'];
    const bob = await author(world.app);
    for (const stranger of [bob.client, world.root])
      expect(await all(stranger, data.id)).toEqual([missing, missing, missing]);
    const guest = [401, 'token_missing'];
    expect(await all(world.app.asGuest(), data.id)).toEqual([guest, guest, missing]);
    for (const id of ['x', newId(), data.id.toUpperCase(), `${data.id}%00`, `${data.id}%27`])
      expect(await all(world.ann.client, id)).toEqual([missing, missing, missing]);
    await world.app.get(RoleSeeder).seed([{ name: world.ann.role, permissions: [] }]);
    const denied = [403, 'permission_denied'];
    expect(outcomeOf(await stateOf(world.ann.client, data.id))).toEqual(denied);
    expect(outcomeOf(await complete(world.ann.client, data.id, parts))).toEqual(denied);
    expect(outcomeOf(await announce(world.ann.client, PNG))).toEqual(denied);
    const { data: other } = await announce(bob.client, PNG);
    await bob.client.post('/api/auth/logout').expect(200);
    expect((await all(bob.client, other.id)).map(([status]) => status)).toEqual([401, 401, 401]);
    await sweep(world.app, 25);
  });

  it('is not visible to the tus protocol, and does not see its uploads', async () => {
    const { data } = await announce(world.ann.client, PNG);
    const headers = { authorization: `Bearer ${world.ann.token}`, 'tus-resumable': '1.0.0' };
    const tus = (method: string, path: string, more: Record<string, string> = {}) =>
      fetch(`${world.app.url}/api/files/uploads${path}`, { method, headers: { ...headers, ...more } });
    const part = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    expect((await tus('HEAD', `/${data.id}`)).status).toBe(404);
    expect((await tus('PATCH', `/${data.id}`, part)).status).toBe(404);
    expect((await tus('DELETE', `/${data.id}`)).status).toBe(404);
    const begun = await tus('POST', '', { 'upload-length': '10' });
    const id = begun.headers.get('location')!.split('/').at(-1)!;
    expect(outcomeOf(await stateOf(world.ann.client, id))).toEqual([404, 'file_not_found']);
    expect(outcomeOf(await complete(world.ann.client, id, []))).toEqual([404, 'file_not_found']);
    expect((await world.ann.client.delete(`/api/files/direct/${id}`)).status).toBe(404);
    expect([(await tus('HEAD', `/${id}`)).status, (await stateOf(world.ann.client, data.id)).status]).toEqual([
      200, 200,
    ]);
    await sweep(world.app, 25);
  });

  it('leaves nothing if the store is down at the start, if it is cancelled, or after a day', async () => {
    world.store.obstacle = (_request, response) => Boolean(response.destroy());
    expect(outcomeOf(await announce(world.ann.client, PNG))).toEqual([503, 'service_unavailable']);
    world.store.obstacle = () => false;
    await sweep(world.app);
    await world.nothingStays();
    const bytes = randomBytes(PART + 1);
    const ended = (await announce(world.ann.client, bytes)).data;
    await put(ended.parts[0]!, piecesOf(bytes)[0]!);
    await world.ann.client.delete(`/api/files/direct/${ended.id}`).expect(204);
    await world.nothingStays();
    const late = (await announce(world.ann.client, bytes)).data;
    const parts = await putAll(late, bytes);
    world.app.clock.advance(86_401);
    await sweep(world.app);
    expect((await put(late.parts[1]!, piecesOf(bytes)[1]!)).status).toBe(404);
    expect(await world.app.sql('SELECT id FROM file_uploads')).toEqual([]);
    await world.nothingStays();
    expect(parts).toHaveLength(2);
    expect(await known(world.app, 'pending')).toEqual([]);
  });
});
