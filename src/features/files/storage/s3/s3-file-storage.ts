import type { Readable } from 'node:stream';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { isUuid } from '../../../../kernel/keys/random.js';
import { type ByteRange, FileStorage, ObjectMissing, type StoredObject } from '../file-storage.port.js';
import {
  mapFaults,
  elementsOf,
  isMissing,
  S3Client,
  type S3Request,
  type S3Settings,
  textOf,
  unlessMissing,
} from './s3-client.js';
import { S3Multipart } from './s3-multipart.js';
import { inFlight, MAX_IN_FLIGHT, MAX_PARTS, PART_BYTES, PartBuffers, partsOf } from './s3-parts.js';

/** Stores files in a bucket. A small object is one request. A larger one is a multipart upload, which is aborted on failure. */
export class S3FileStorage extends FileStorage {
  readonly multipart: S3Multipart;
  private readonly buffers = new PartBuffers();
  private readonly client: S3Client;

  constructor(settings: S3Settings, now?: () => number) {
    super();
    this.client = new S3Client(settings, now);
    this.multipart = new S3Multipart(this.client);
  }

  override disk(): string {
    return 's3';
  }

  override async write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    assertKey(key);
    await this.buffers.during(async () => {
      const parts = partsOf(bytes, this.buffers);
      const { value: first = new Uint8Array() } = (await parts.next()) as { value?: Uint8Array };
      if (first.length < PART_BYTES) await this.writeSmall(key, first);
      else await this.writeParts(key, joined(first, parts));
    });
  }

  override async read(key: string, range?: ByteRange): Promise<Readable> {
    assertKey(key);
    const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
    return mapFaults(async () => {
      try {
        return await this.client.send({ method: 'GET', key, headers });
      } catch (error) {
        throw isMissing(error) ? new ObjectMissing(key) : error;
      }
    });
  }

  override async find(key: string): Promise<StoredObject | null> {
    const headers = await this.head(key);
    return headers && { key, size: Number(headers['content-length']) };
  }

  override async remove(key: string): Promise<void> {
    const headers = await this.head(key);
    // A bucket with versioning would only hide the object, so delete its version.
    const version = headers?.['x-amz-version-id'];
    const query: Record<string, string> = typeof version === 'string' ? { versionId: version } : {};
    await mapFaults(async () => {
      if (headers !== null) await this.client.headers({ method: 'DELETE', key, query }).catch(unlessMissing);
      for await (const upload of this.multipart.list(key))
        if (upload.key === key) await this.multipart.abort(key, upload.id);
    });
  }

  override async *list(): AsyncGenerator<StoredObject> {
    const query = { 'list-type': '2', 'max-keys': '1000' };
    for (let token: string | undefined = ''; token !== undefined;) {
      const next = token === '' ? query : { ...query, 'continuation-token': token };
      const page: string = await mapFaults(() => this.client.text({ method: 'GET', query: next }));
      for (const object of elementsOf(page, 'Contents')) {
        const key = textOf(object, 'Key') ?? '';
        if (isUuid(key)) yield { key, size: Number(textOf(object, 'Size')) };
      }
      token = textOf(page, 'IsTruncated') === 'true' ? textOf(page, 'NextContinuationToken') : undefined;
    }
    for await (const { key } of this.multipart.list('')) if (isUuid(key)) yield { key, size: 0 };
  }

  private async writeSmall(key: string, body: Uint8Array): Promise<void> {
    await mapFaults(() => this.client.headers({ method: 'PUT', key, body }));
    this.buffers.release(body);
  }

  private async writeParts(key: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
    const { multipart } = this;
    const uploadId = await multipart.start(key);
    try {
      let size = 0;
      const tags = await inFlight(parts, MAX_IN_FLIGHT, async (body, number) => {
        size += body.length;
        const request: S3Request = { method: 'PUT', key, query: { partNumber: `${number}`, uploadId }, body };
        const tag = await mapFaults(() => this.writePart(request));
        this.buffers.release(body);
        return tag;
      });
      const named = tags.map((tag) => ({ tag }));
      await multipart.complete(key, uploadId, named, size);
    } catch (error) {
      // If the abort fails, the sweeper removes the upload later with `remove`.
      await multipart.abort(key, uploadId).catch(() => undefined);
      throw error;
    }
  }

  private async writePart(request: S3Request): Promise<string> {
    if (Number(request.query?.['partNumber']) > MAX_PARTS) throw new AppError('file_too_large');
    const { etag } = await this.client.headers(request);
    return etag ?? '';
  }

  private async head(key: string): Promise<Readonly<Record<string, string | string[] | undefined>> | null> {
    assertKey(key);
    return mapFaults(() => this.client.headers({ method: 'HEAD', key }).catch(unlessMissing));
  }
}

async function* joined<T>(first: T, remaining: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* remaining;
}

function assertKey(key: string): void {
  if (!isUuid(key)) throw new TypeError('A storage key must be a UUID.');
}
