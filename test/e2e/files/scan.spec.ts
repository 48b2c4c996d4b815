import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { FileScans } from '../../../src/features/files/scanning/file-scans.service.js';
import {
  FileScanner,
  type ScannedFile,
  type ScanVerdict,
} from '../../../src/features/files/scanning/file-scanner.port.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { eventsOf } from '../../support/audit-log.js';
import { GIF, known, makeGallery, PNG, readFile, send, sha256, stored, sweep } from '../../support/file-fixture.js';
import { until } from '../../support/mailbox.js';
import { useTestApp } from '../../support/test-app.js';

const BAD = Buffer.from('GIF89a and something bad');

/** Finds files that contain "bad", and fails while `isAway` is true. */
@Injectable()
class Watchman extends FileScanner {
  static isAway = false;
  static readonly seen: ScannedFile[] = [];

  isActive(): boolean {
    return true;
  }

  async scan(bytes: Readable, file: ScannedFile): Promise<ScanVerdict> {
    if (Watchman.isAway) throw new Error('away');
    Watchman.seen.push(file);
    return { finding: (await buffer(bytes)).includes('bad') ? `Bad.Thing${'!'.repeat(300)}` : null };
  }
}

describe('a file before its scan', () => {
  const world = useTestApp({ ports: { fileScanner: Watchman } });
  let token: string;

  beforeAll(async () => {
    ({ token } = await makeGallery(world.app));
  });
  beforeEach(() => {
    Watchman.isAway = true;
  });

  const look = async (): Promise<void> => {
    Watchman.isAway = false;
    // The worker may be running an attempt that fails.
    await until(async () => {
      const retry = `UPDATE background_jobs SET due_at = $1 WHERE kind = 'files.scan' AND claim_id IS NULL`;
      await world.app.sql(retry, [world.app.clock.now()]);
      await world.app.get(JobWorker).drain();
      return (await world.app.sql(`SELECT 1 FROM background_jobs WHERE kind = 'files.scan'`)).length === 0;
    }, 'the scanner');
  };
  const statusOf = async (id: string, query = ''): Promise<unknown[]> => {
    const answer = await readFile(world.app, `${id}${query}`, { token });
    return [answer.status, answer.error];
  };
  const sign = (id: string) => world.app.as(token).post(`/api/files/${id}/url`, {});

  it('is not readable by anyone, over any route, and readable as usual afterwards', async () => {
    const { status, data } = await send(world.app, PNG, { token, type: 'image/png', name: 'dot.png' });
    expect(status).toBe(201);
    await world.app.get(JobWorker).drain();
    for (const query of ['', '?size=thumb', '?disposition=attachment'])
      expect(await statusOf(data.id, query)).toEqual([409, 'file_held']);
    expect((await sign(data.id)).status).toBe(409);
    await look();
    expect(await statusOf(data.id)).toEqual([200, undefined]);
    expect(Watchman.seen.at(-1)).toEqual({
      id: data.id,
      name: 'dot.png',
      type: 'image/png',
      size: PNG.length,
      sha256: sha256(PNG),
    });
  });

  it('looks like a missing file to a stranger', async () => {
    const { data } = await send(world.app, PNG, { token });
    const answer = await readFile(world.app, data.id, {});
    expect([answer.status, answer.error]).toEqual([404, 'file_not_found']);
    await look();
  });

  it('can be linked, and is scanned again after a replacement: earlier URLs are invalid', async () => {
    const { data } = await send(world.app, PNG, { token });
    await look();
    const { body } = await sign(data.id).expect(200);
    const address = new URL((body as { data: { url: string } }).data.url);
    Watchman.isAway = true;
    const post = await world.app.as(token).post('/api/content/posts', { title: 'One', cover: { id: data.id } });
    expect(post.status).toBe(201);
    await send(world.app, GIF, { token, method: 'PUT', path: `/api/files/${data.id}` });
    expect(await statusOf(data.id)).toEqual([409, 'file_held']);
    expect((await fetch(`${world.app.url}${address.pathname}${address.search}`)).status).not.toBe(200);
    await look();
    expect(await statusOf(data.id)).toEqual([200, undefined]);
  });

  it('is permanently deleted with its bytes after a finding, with an audit entry', async () => {
    const before = [stored(world.app), await known(world.app, 'doomed')];
    const { data } = await send(world.app, BAD, { token, type: 'image/gif', name: 'bad.gif' });
    const post = await world.app.as(token).post('/api/content/posts', { title: 'Two', cover: { id: data.id } });
    await look();
    expect(await statusOf(data.id)).toEqual([404, 'file_not_found']);
    await sweep(world.app);
    expect([stored(world.app), await known(world.app, 'doomed')]).toEqual(before);
    await world.app.as(token).post(`/api/content/files/${data.id}/restore`).expect(404);
    expect(await eventsOf(world.app, `action = 'file.refuse'`)).toMatchObject([
      {
        actor: 'system',
        resource: `file:${data.id}`,
        changes: { finding: { after: `Bad.Thing${'!'.repeat(191)}` }, sha256: { after: sha256(BAD) } },
      },
    ]);
    const { id } = (post.body as { data: { id: string } }).data;
    await world.app.as(token).get(`/api/content/posts/${id}`).expect(200);
  });

  it('is scanned even if its job is lost, as with a restored database', async () => {
    const { data } = await send(world.app, PNG, { token });
    await world.app.get(JobWorker).drain();
    await world.app.sql(`DELETE FROM background_jobs WHERE kind = 'files.scan'`);
    for (let round = 0; round < 2; round += 1) await world.app.get(FileScans).owe();
    expect(await world.app.sql(`SELECT 1 FROM background_jobs WHERE kind = 'files.scan'`)).toHaveLength(1);
    await look();
    expect(await statusOf(data.id)).toEqual([200, undefined]);
  });

  it('is scanned even if it is deleted or replaced meanwhile, which has no effect', async () => {
    const [gone, other] = [await send(world.app, BAD, { token }), await send(world.app, BAD, { token })];
    await world.app.as(token).delete(`/api/content/files/${gone.data.id}`).expect(200);
    await send(world.app, PNG, { token, method: 'PUT', path: `/api/files/${other.data.id}` });
    await look();
    expect(await statusOf(other.data.id)).toEqual([200, undefined]);
    expect(await world.app.sql(`SELECT 1 FROM background_jobs WHERE kind = 'files.scan'`)).toEqual([]);
  });
});
