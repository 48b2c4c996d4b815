import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Upload } from 'tus-js-client';
import { DataSource } from 'typeorm';
import type { FileReport } from '../../../src/features/files/file-check.service.js';
import { sha256 } from '../../support/file-fixture.js';
import { PASSWORD } from '../../support/people.js';
import type { Service } from '../../support/service.js';
import { signIn } from '../../support/service-users.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(3_600_000);

/** For 200 kills: `FILES_KILLS=200 npm test -- test/e2e/files/resumable-crash.spec.ts`. */
const KILLS = Number(process.env['FILES_KILLS'] ?? 5);
const SIZE = 6_000_000;
const PATH = '/api/files/uploads';
const ENV = { RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'error', AUTH_ACCESS_TOKEN_LIFETIME: '86400' };

describe('a resumable upload of a service that is killed', () => {
  const world = useServiceHome({ commandsInOneProcess: true });
  const admin = { email: 'admin@example.com', password: PASSWORD };
  let service: Service;
  let headers: Record<string, string>;

  const begin = async (): Promise<string> => {
    const answer = await fetch(service.url + PATH, {
      method: 'POST',
      headers: { ...headers, 'tus-resumable': '1.0.0', 'upload-length': String(SIZE) },
    });
    expect(answer.status).toBe(201);
    return answer.headers.get('location')!;
  };
  const offset = async (path: string): Promise<number> => {
    const answer = await fetch(service.url + path, {
      method: 'HEAD',
      headers: { ...headers, 'tus-resumable': '1.0.0' },
    });
    expect(answer.status).toBe(200);
    return Number(answer.headers.get('upload-offset'));
  };
  /** Continues with the official client. Returns the acknowledged offset, or null if the upload is complete. */
  const goOn = (path: string, bytes: Buffer): Promise<number | null> =>
    new Promise((resolve) => {
      let acknowledged = 0;
      new Upload(bytes, {
        endpoint: service.url + PATH,
        uploadUrl: service.url + path,
        headers,
        chunkSize: randomInt(2) === 0 ? Infinity : 700_001,
        retryDelays: [],
        onChunkComplete: (_size, accepted) => (acknowledged = accepted),
        onError: () => resolve(acknowledged),
        onSuccess: () => resolve(null),
      }).start();
    });

  it('continues with the official client, becomes the complete file, and leaves nothing else', async () => {
    service = await world.home.start({ env: ENV });
    await world.home.json('admin:create', '--email', admin.email, '--password', admin.password);
    headers = { authorization: `Bearer ${await signIn(service, admin)}` };
    const sent = new Map<string, string>();
    let cut = 0;
    for (let kills = 0; kills < KILLS;) {
      const bytes = randomBytes(SIZE);
      const path = await begin();
      for (let isWhole = false; !isWhole;) {
        const killed = kills < KILLS ? delay(randomInt(5, 150)).then(() => service.signal('SIGKILL')) : null;
        const acknowledged = await goOn(path, bytes);
        isWhole = acknowledged === null;
        if (killed !== null) {
          kills += 1;
          await killed;
          await service.exit;
          expect((await world.home.json<FileReport>('files:check', '--read')).faults).toEqual([]);
          service = await world.home.start({ env: ENV });
        }
        const at = await offset(path);
        expect(at).toBeGreaterThanOrEqual(acknowledged ?? SIZE);
        cut += at > 0 && at < SIZE ? 1 : 0;
        isWhole ||= at === SIZE;
      }
      sent.set(path, sha256(bytes));
    }
    for (const [path, digest] of sent) {
      const answer = await fetch(`${service.url}/api/files/${path.split('/').at(-1)}`, { headers });
      expect([answer.status, sha256(Buffer.from(await answer.arrayBuffer()))]).toEqual([200, digest]);
    }
    await everythingDue();
    const { objects, rows, faults } = await world.home.json<FileReport>('files:check', '--read');
    expect({ objects, rows, faults }).toEqual({ objects: sent.size, rows: sent.size, faults: [] });
    if (process.env['FILES_KILLS'] !== undefined)
      process.stdout.write(`${JSON.stringify({ kills: KILLS, cut, files: sent.size })}\n`);
    await service.stop();
  });

  /** Waits until the sweeper has removed the remaining objects. */
  async function everythingDue(): Promise<void> {
    const database = await new DataSource({ type: 'postgres', url: world.home.env['DATABASE_URL']! }).initialize();
    try {
      const left = (): Promise<unknown[]> => database.query(`SELECT 1 FROM file_objects WHERE state <> 'live'`);
      while ((await left()).length > 0) {
        await database.query(`UPDATE file_objects SET due_at = '2000-01-01' WHERE state <> 'live'`);
        await database.query(`UPDATE background_jobs SET due_at = '2000-01-01' WHERE kind = 'files.sweep'`);
        await delay(200);
      }
    } finally {
      await database.destroy();
    }
  }
});
