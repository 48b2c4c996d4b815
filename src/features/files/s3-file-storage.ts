import type { Readable } from 'node:stream';
import { AppError } from '../../kernel/app-error.js';
import { isUuid } from '../../kernel/random.js';
import { type ByteRange, FileStorage, ObjectMissing, type StoredObject } from './file-storage.port.js';
import { elementsOf, textOf } from './s3-answers.js';
import { S3Client, S3Fault, type S3Request } from './s3-client.js';
import { inFlight, MOST_PARTS, PART_BYTES, PartBuffers, partsOf } from './s3-parts.js';
import type { S3Settings } from './s3-settings.js';

/** With the one that is being filled: 32 MiB an upload. */
const IN_FLIGHT = 3;
const FULL: ReadonlySet<string> = new Set(['QuotaExceeded', 'XMinioStorageFull', 'StorageFull']);
const MISSING = 404;

/**
 * Files in a bucket of a store that speaks S3, by ten of its operations. A small object is sent at once, a larger one in parts, which are
 * an object when all of them are there, and removed otherwise.
 */
export class S3FileStorage extends FileStorage {
  private readonly client: S3Client;

  constructor(settings: S3Settings, now?: () => number) {
    super();
    this.client = new S3Client(settings, now);
  }

  override disk(): string {
    return 's3';
  }

  override async write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    assertKey(key);
    const buffers = new PartBuffers();
    const parts = partsOf(bytes, buffers);
    const { value: first = new Uint8Array() } = (await parts.next()) as { value?: Uint8Array };
    if (first.length < PART_BYTES) await this.ask(() => this.client.headers({ method: 'PUT', key, body: first }));
    else await this.writeParts(key, joined(first, parts), buffers);
  }

  override async read(key: string, range?: ByteRange): Promise<Readable> {
    assertKey(key);
    const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
    return this.ask(async () => {
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
    // A bucket that keeps versions would hide the object, and keep it.
    const version = headers?.['x-amz-version-id'];
    const query: Record<string, string> = typeof version === 'string' ? { versionId: version } : {};
    await this.ask(async () => {
      if (headers !== null) await this.client.headers({ method: 'DELETE', key, query }).catch(unlessMissing);
      for await (const upload of this.uploads(key)) if (upload.key === key) await this.abort(key, upload.id);
    });
  }

  override async *list(): AsyncGenerator<StoredObject> {
    const query = { 'list-type': '2', 'max-keys': '1000' };
    for (let token: string | undefined = ''; token !== undefined;) {
      const page: string = await this.page({ ...query, ...(token === '' ? {} : { 'continuation-token': token }) });
      for (const object of elementsOf(page, 'Contents')) {
        const key = textOf(object, 'Key') ?? '';
        if (isUuid(key)) yield { key, size: Number(textOf(object, 'Size')) };
      }
      token = textOf(page, 'IsTruncated') === 'true' ? textOf(page, 'NextContinuationToken') : undefined;
    }
    for await (const { key } of this.uploads('')) if (isUuid(key)) yield { key, size: 0 };
  }

  private async writeParts(key: string, parts: AsyncIterable<Uint8Array>, buffers: PartBuffers): Promise<void> {
    const begun = await this.ask(() => this.client.text({ method: 'POST', key, query: { uploads: '' } }));
    const uploadId = textOf(begun, 'UploadId') ?? '';
    try {
      let size = 0;
      const tags = await inFlight(parts, IN_FLIGHT, async (body, number) => {
        size += body.length;
        const request: S3Request = { method: 'PUT', key, query: { partNumber: `${number}`, uploadId }, body };
        const tag = await this.ask(() => this.writePart(request));
        buffers.give(body);
        return tag;
      });
      await this.ask(() => this.complete(key, uploadId, tags, size));
    } catch (error) {
      // What cannot be taken back now, the sweeper takes back by `remove`.
      await this.abort(key, uploadId).catch(() => undefined);
      throw error;
    }
  }

  private async writePart(request: S3Request): Promise<string> {
    if (Number(request.query?.['partNumber']) > MOST_PARTS) throw new AppError('file_too_large');
    const { etag } = await this.client.headers(request);
    return etag ?? '';
  }

  private async complete(key: string, uploadId: string, tags: readonly string[], size: number): Promise<void> {
    const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`).join('');
    const body = Buffer.from(`<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`);
    const request: S3Request = { method: 'POST', key, query: { uploadId }, body };
    try {
      const answer = await this.client.text(request);
      // A fault that comes late comes with a 200.
      if (/<Error[\s>]/.test(answer)) throw new S3Fault(500, textOf(answer, 'Code') ?? '', request);
    } catch (error) {
      // The answer to the first try may have been lost.
      if ((await this.find(key))?.size !== size) throw error;
    }
  }

  private async abort(key: string, uploadId: string): Promise<void> {
    await this.client.headers({ method: 'DELETE', key, query: { uploadId } }).catch(unlessMissing);
  }

  private async head(key: string): Promise<Readonly<Record<string, string | string[] | undefined>> | null> {
    assertKey(key);
    return this.ask(() => this.client.headers({ method: 'HEAD', key }).catch(unlessMissing));
  }

  /** What did not become an object. */
  private async *uploads(prefix: string): AsyncGenerator<{ readonly key: string; readonly id: string }> {
    for (let marker: Record<string, string> | undefined = {}; marker !== undefined;) {
      const page: string = await this.page({ uploads: '', prefix, ...marker });
      for (const upload of elementsOf(page, 'Upload'))
        yield { key: textOf(upload, 'Key') ?? '', id: textOf(upload, 'UploadId') ?? '' };
      const [key, id] = [textOf(page, 'NextKeyMarker'), textOf(page, 'NextUploadIdMarker')];
      const hasMore = textOf(page, 'IsTruncated') === 'true' && key !== undefined;
      marker = hasMore ? { 'key-marker': key, 'upload-id-marker': id ?? '' } : undefined;
    }
  }

  private page(query: Readonly<Record<string, string>>): Promise<string> {
    return this.ask(() => this.client.text({ method: 'GET', query }));
  }

  /** What the store cannot do now it may do later; whoever sent a file is told that, and the log the rest. */
  private async ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof AppError || cause instanceof ObjectMissing) throw cause;
      if (cause instanceof S3Fault && (FULL.has(cause.code) || cause.status === 507))
        throw new AppError('storage_full', { cause });
      throw new AppError('service_unavailable', { retryAfterSeconds: 1, cause });
    }
  }
}

async function* joined<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** Nothing of a client is in a request. */
function assertKey(key: string): void {
  if (!isUuid(key)) throw new TypeError('A key of the storage is a UUID.');
}

function isMissing(error: unknown): boolean {
  return error instanceof S3Fault && error.status === MISSING;
}

function unlessMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
