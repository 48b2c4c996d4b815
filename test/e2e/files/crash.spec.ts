import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import type { FileReport } from '../../../src/features/files/file-check.service.js';
import { S3FileStorage } from '../../../src/features/files/storage/s3/s3-file-storage.js';
import { DirectFacts } from '../../support/direct-upload-log.js';
import { FileFacts } from '../../support/file-log.js';
import { IMPORTED, ImportFacts } from '../../support/import-log.js';
import { PASSWORD } from '../../support/people.js';
import { S3Store, VERSITYGW } from '../../support/s3-store.js';
import { signIn } from '../../support/service-users.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(3_600_000);

/** For 200 kills: `FILES_KILLS=200 npm test -- test/e2e/files/crash.spec.ts`. With VERSITYGW_PATH, files are in a bucket. */
const ROUNDS = { local: Number(process.env['FILES_KILLS'] ?? 4), s3: Number(process.env['FILES_KILLS'] ?? 2) };
const WORKERS = 6;
const IMPORTERS = 2;
/** Clients that upload directly to the bucket. */
const SENDERS = { local: 0, s3: 3 };
const ENV = { RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'error', AUTH_ACCESS_TOKEN_LIFETIME: '86400' };

/** A bucket if one is available, because another run tests the disk. */
const disk = VERSITYGW === '' ? 'local' : 's3';

describe(`a service that is killed during uploads, replacements, deletions and imports: ${disk}`, () => {
  const world = useServiceHome({ commandsInOneProcess: true });
  let store: S3Store | undefined;

  beforeAll(async () => {
    if (disk === 'local') return;
    store = await S3Store.start();
    const { endpoint, bucket, accessKeyId, secretAccessKey } = store.settings;
    const access = { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey };
    Object.assign(world.home.env, { FILES_DISK: 's3', S3_ENDPOINT: endpoint, S3_BUCKET: bucket, ...access });
  });
  afterAll(() => store?.stop());

  const admin = { email: 'admin@example.com', password: PASSWORD };

  /** Returns the number of stored objects. The first file creates the folder, and the service may be killed before. */
  const stored = async (): Promise<number> => {
    if (store !== undefined) return (await listed(store)).length;
    const folder = join(world.home.dataDir, 'files');
    const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
    return entries.filter((entry) => entry.isFile()).length;
  };

  it('has no object without a row, no row without an object, everything acknowledged, and no duplicate record', async () => {
    mkdirSync(join(world.home.directory, 'schemas'));
    writeFileSync(join(world.home.directory, 'schemas/note.json'), JSON.stringify(IMPORTED));
    expect(await world.home.run(['schema:apply', 'schemas'])).toMatchObject({ code: 0 });
    let service = await world.home.start({ env: ENV });
    await world.home.json('admin:create', '--email', admin.email, '--password', admin.password);
    const token = await signIn(service, admin);
    const facts = new FileFacts();
    const imports = new ImportFacts();
    const direct = new DirectFacts(facts);
    let broken = 0;
    let kept: { state: string }[] = [];
    const database = await new DataSource({ type: 'postgres', url: world.home.env['DATABASE_URL']! }).initialize();
    // Deleted, replaced and interrupted files expire immediately. The sweeper is due, so that it is killed, too.
    const expire = async (): Promise<void> => {
      await database.query(`UPDATE file_objects SET due_at = '2000-01-01' WHERE state <> 'live'`);
      await database.query(`UPDATE files SET deleted_at = '2000-01-01' WHERE deleted_at IS NOT NULL`);
      await database.query(`UPDATE background_jobs SET due_at = '2000-01-01' WHERE kind = 'files.sweep'`);
    };
    // A busy machine needs more time, but the kill must still come in the middle of the work.
    const began = performance.now();
    for (const kind of ['once', 'background'] as const) await imports.once(service, token, kind);
    const span = Math.max(600, Math.round(performance.now() - began));
    try {
      for (let round = 0; round < ROUNDS[disk]; round += 1) {
        await expire();
        const work = Array.from({ length: WORKERS }, () => facts.work(service, token));
        work.push(...Array.from({ length: IMPORTERS }, () => imports.work(service, token)));
        work.push(...Array.from({ length: SENDERS[disk] }, () => direct.work(service, token)));
        await delay(randomInt(20, span));
        service.signal('SIGKILL');
        await Promise.all([service.exit, ...work]);
        const report = await world.home.json<FileReport>('files:check', '--read');
        expect(report.faults).toEqual([]);
        broken += (await stored()) - report.rows;
        service = await world.home.start({ env: ENV });
        // The process that was about to create a file from the upload is dead.
        await database.query(
          `UPDATE file_uploads SET claimed_until = '2000-01-01' WHERE store_id IS NOT NULL AND answer IS NULL`,
        );
        await direct.settle(service, token);
        expect(await facts.faults(service, token)).toEqual([]);
        expect(await imports.faults(database, false)).toEqual([]);
      }
      expect(await imports.settle(service, token, database)).toEqual([]);
      expect(await imports.faults(database, true)).toEqual([]);
      const left = async (): Promise<number> =>
        (await database.query<unknown[]>(`SELECT 1 FROM file_objects WHERE state IN ('pending', 'doomed')`)).length;
      while ((await left()) > 0) {
        await expire();
        await delay(200);
      }
      // Resized images exist as long as the bytes of their source.
      kept = await database.query<
        { state: string }[]
      >(`SELECT o.state FROM file_objects o WHERE o.state = 'live' OR EXISTS
        (SELECT 1 FROM file_variants v JOIN file_objects s ON s.id = v.source_id AND s.state = 'live' WHERE v.object_id = o.id)`);
    } finally {
      await database.destroy();
    }
    const last = await world.home.json<FileReport>('files:check', '--read');
    expect(last.faults).toEqual([]);
    expect(kept.filter(({ state }) => state === 'live')).toHaveLength(last.rows);
    expect(await stored()).toBe(kept.length);
    const counts = {
      disk,
      rounds: ROUNDS[disk],
      ...facts.done,
      ...imports.done,
      ...direct.done,
      unanswered: facts.open,
      broken,
      last,
    };
    if (process.env['FILES_KILLS'] !== undefined) process.stdout.write(`${JSON.stringify(counts)}\n`);
    await service.stop();
  });
});

/** Returns the keys in a bucket, including those of multipart uploads. */
async function listed(store: S3Store): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of new S3FileStorage(store.settings).list()) keys.push(key);
  return keys;
}
