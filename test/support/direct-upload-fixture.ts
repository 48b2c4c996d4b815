import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { FileCheck } from '../../src/features/files/file-check.service.js';
import { FileScanner, type ScanVerdict } from '../../src/features/files/scanning/file-scanner.port.js';
import { S3FileStorage } from '../../src/features/files/storage/s3/s3-file-storage.js';
import { personWith } from './content-fixture.js';
import { PART } from './direct-uploads.js';
import { makeGallery, PNG } from './file-fixture.js';
import { signedIn } from './people.js';
import { S3Store } from './s3-store.js';
import { field, schema } from './schema-definitions.js';
import { TestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

/** Reports that the scanner is unavailable when active. */
@Injectable()
export class AwayScanner extends FileScanner {
  static isActive = false;

  isActive(): boolean {
    return AwayScanner.isActive;
  }

  scan(_bytes: Readable): Promise<ScanVerdict> {
    return Promise.reject(new Error('away'));
  }
}

interface SenderOfFiles {
  readonly client: TestClient;
  readonly token: string;
  readonly id: string;
  readonly role: string;
}

const QUOTA = 8 * PART;

/**
 * An application with files in a bucket, an administrator and an uploading user. After each test, storage and database must agree. Has the
 * schemas of {@link makeGallery}, plus badges with a small image and stamps with a size limit.
 */
export class DirectUploadFixture {
  app: TestApp;
  store: S3Store;
  root: TestClient;
  token: string;
  ann: SenderOfFiles;

  static use(): DirectUploadFixture {
    const world = new DirectUploadFixture();
    beforeAll(() => world.start());
    // These tests advance the clock by days, so the users are created for each test.
    beforeEach(() => world.meet());
    afterEach(async () => {
      world.store.obstacle = () => false;
      expect((await world.app.get(FileCheck).run({ reads: true })).faults).toEqual([]);
    });
    afterAll(async () => {
      await world.app?.stop();
      await world.store.stop();
    });
    return world;
  }

  /** Returns the keys of all objects in the bucket, multipart uploads included. */
  async listed(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of new S3FileStorage(this.store.settings).list()) keys.push(key);
    return keys.sort();
  }

  /** Asserts that no file of Ann remains, and that the bucket contains only objects that the database knows. */
  async nothingStays(): Promise<void> {
    const rows = await this.app.sql<{ id: string; owner: string }>('SELECT id, owner FROM file_objects ORDER BY id');
    expect(rows.filter(({ owner }) => owner === this.ann.id)).toEqual([]);
    expect(await this.listed()).toEqual(rows.map(({ id }) => id));
  }

  private async start(): Promise<void> {
    this.store = await S3Store.start();
    const { endpoint, bucket, accessKeyId, secretAccessKey } = this.store.settings;
    const access = { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey };
    const limits = { FILES_QUOTA: String(QUOTA), FILES_MAX_SIZE: String(6 * PART) };
    const env = { FILES_DISK: 's3', S3_ENDPOINT: endpoint, S3_BUCKET: bucket, ...access, ...limits };
    this.app = await TestApp.start({ env, ports: { fileScanner: AwayScanner } });
    const { root } = await makeGallery(this.app);
    const small = { types: ['image/*'], max_size: 1_000 };
    const bound = field('file', 'stamps', { optional: true, multiple: true, file: { quota: PNG.length } });
    await root
      .post('/api/schema', schema('badge', [field('file', 'face', { optional: true, file: small }), bound]))
      .expect(201);
  }

  private async meet(): Promise<void> {
    const { client, id, name } = await personWith(this.app, [
      { resource: 'content.post.*', value: 'allow' },
      { resource: 'content.file.create', value: 'allow' },
    ]);
    this.ann = { client, id, role: name, token: client.token ?? '' };
    this.token = (await signedIn(this.app, { roles: ['admin'] })).token;
    this.root = this.app.as(this.token);
    this.store.seen.length = 0;
  }
}
