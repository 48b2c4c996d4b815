import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { FileCheck } from '../../../src/features/files/file-check.service.js';
import { known, makeGallery, readFile, send, sendForm, stored, sweep } from '../../support/file-fixture.js';
import { useTestApp } from '../../support/test-app.js';

const LARGE = Buffer.alloc(6_000_000, 1);

describe('a full disk', () => {
  const world = useTestApp();
  let token: string;

  beforeAll(async () => {
    ({ token } = await makeGallery(world.app));
  });

  const full = { status: 507, error: 'storage_full' };
  const resumable = async () => {
    const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' };
    const begun = await fetch(`${world.app.url}/api/files/uploads`, {
      method: 'POST',
      headers: { ...headers, 'upload-length': String(LARGE.length) },
    });
    const path = begun.headers.get('location')!;
    const type = 'application/offset+octet-stream';
    const more = { headers: { ...headers, 'upload-offset': '0' }, method: 'PATCH', path, type };
    const answer = await send(world.app, LARGE, { token, ...more });
    await fetch(world.app.url + path, { method: 'DELETE', headers });
    return answer;
  };

  it('returns 507, leaves no partial file, and accepts files again when there is space', async () => {
    const folder = join(world.app.config.dataDir, 'files');
    mkdirSync(folder);
    const mounting = ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder];
    const refused = spawnSync('mount', mounting, { encoding: 'utf8' }).stderr;
    // Without the right to mount, there is no full disk to test.
    if (refused !== '') return expect(refused).toMatch(/superuser|permission denied|not permitted/i);
    try {
      await fill(folder);
    } finally {
      expect(spawnSync('umount', [folder]).status).toBe(0);
    }
  });

  async function fill(folder: string): Promise<void> {
    expect(await send(world.app, LARGE, { token })).toMatchObject(full);
    expect(await sendForm(world.app, (one) => one.append('file', new Blob([LARGE])), { token })).toMatchObject(full);
    expect(await resumable()).toMatchObject(full);
    await sweep(world.app);
    expect([stored(world.app), await known(world.app, 'pending'), await known(world.app, 'doomed')]).toEqual([
      [],
      [],
      [],
    ]);

    const picture = await sharp({ create: { width: 600, height: 600, channels: 3, background: '#456' } })
      .jpeg()
      .toBuffer();
    const { status, data } = await send(world.app, picture, { token, type: 'image/jpeg' });
    expect(status).toBe(201);
    expect(() => writeFileSync(join(folder, 'filler'), LARGE)).toThrow('ENOSPC');
    expect(await readFile(world.app, `${data.id}?size=thumb`, { token })).toMatchObject(full);
    expect((await readFile(world.app, data.id, { token })).body).toEqual(picture);
    rmSync(join(folder, 'filler'));
    expect((await readFile(world.app, `${data.id}?size=thumb`, { token })).status).toBe(200);
    expect((await world.app.get(FileCheck).run({ reads: true })).faults).toEqual([]);
    expect([stored(world.app).length, await known(world.app, 'pending')]).toEqual([2, []]);
  }
});
