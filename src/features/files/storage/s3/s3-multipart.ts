import { defineLimit } from '../../../../kernel/limits.js';
import { mapFaults, elementsOf, S3Client, S3Fault, type S3Request, textOf, unlessMissing } from './s3-client.js';

export const PART_URL_SECONDS = 900;
/** Minimum size of all parts except the last (S3: `UploadPart`). */
export const LEAST_PART_BYTES = 5 * 1_048_576;
export const MAX_PART_BYTES = defineLimit(5 * 1_073_741_824, 'Files', 'bytes of one part of a direct upload');
export const MAX_DIRECT_PARTS = defineLimit(1_000, 'Files', 'parts of one direct upload');

export interface AnnouncedPart {
  /** Number of the part, from 1. */
  readonly number: number;
  /** In bytes. */
  readonly size: number;
  /** In base64. */
  readonly sha256: string;
}

export interface PartAddress {
  readonly url: string;
  /** Headers that the client must send. `Content-Length`, which clients send automatically, is also signed. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface StoredPart {
  /** Without quotes. */
  readonly tag: string;
  /** In bytes. */
  readonly size: number;
}

export interface NamedPart {
  readonly tag: string;
  /** In base64, for an upload with checksums. */
  readonly sha256?: string;
}

/** Multipart uploads. Each method throws `storage_full` or `service_unavailable`. */
export class S3Multipart {
  constructor(private readonly client: S3Client) {}

  /** @param hasChecksums whether the store checks the SHA-256 of each part. */
  async start(key: string, hasChecksums = false): Promise<string> {
    const headers: Record<string, string> = hasChecksums ? { 'x-amz-checksum-algorithm': 'SHA256' } : {};
    const response = await mapFaults(() => this.client.text({ method: 'POST', key, query: { uploads: '' }, headers }));
    return textOf(response, 'UploadId') ?? '';
  }

  /**
   * Returns the URL for a client to upload a part. It is valid for one part of one upload, with one length and one digest. It expires after
   * {@link PART_URL_SECONDS}, or when the upload is completed or aborted.
   */
  async address(key: string, uploadId: string, { number, size, sha256 }: AnnouncedPart): Promise<PartAddress> {
    const headers = { 'x-amz-checksum-sha256': sha256 };
    const query = { partNumber: String(number), uploadId };
    const signed = { ...headers, 'content-length': String(size) };
    const url = await this.client.presign({ method: 'PUT', key, query, headers: signed }, PART_URL_SECONDS);
    return { url, headers };
  }

  /** Returns the stored parts by number; null for an upload that is completed or aborted. */
  async parts(key: string, uploadId: string): Promise<ReadonlyMap<number, StoredPart> | null> {
    const parts = new Map<number, StoredPart>();
    for (let marker: string | undefined = '0'; marker !== undefined;) {
      const query: Record<string, string> = { uploadId, 'part-number-marker': marker };
      const page: string | null = await mapFaults(() =>
        this.client.text({ method: 'GET', key, query }).catch(unlessMissing),
      );
      if (page === null) return null;
      for (const part of elementsOf(page, 'Part'))
        parts.set(Number(textOf(part, 'PartNumber')), {
          tag: unquoted(textOf(part, 'ETag') ?? ''),
          size: Number(textOf(part, 'Size')),
        });
      marker = textOf(page, 'IsTruncated') === 'true' ? textOf(page, 'NextPartNumberMarker') : undefined;
    }
    return parts;
  }

  /** Creates the object. If it already exists in that size, the response of an earlier attempt was lost. */
  async complete(key: string, uploadId: string, parts: readonly NamedPart[], size: number): Promise<void> {
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.map(partXml).join('')}</CompleteMultipartUpload>`);
    const request: S3Request = { method: 'POST', key, query: { uploadId }, body };
    await mapFaults(async () => {
      try {
        const answer = await this.client.text(request);
        // The store reports a late error with status 200.
        if (/<Error[\s>]/.test(answer)) throw new S3Fault(500, textOf(answer, 'Code') ?? '', request);
      } catch (error) {
        const object = await this.client.headers({ method: 'HEAD', key }).catch(unlessMissing);
        if (object === null || Number(object['content-length']) !== size) throw error;
      }
    });
  }

  /** A missing upload is ignored. */
  async abort(key: string, uploadId: string): Promise<void> {
    await mapFaults(() => this.client.headers({ method: 'DELETE', key, query: { uploadId } }).catch(unlessMissing));
  }

  async *list(prefix: string): AsyncGenerator<{ readonly key: string; readonly id: string }> {
    for (let marker: Record<string, string> | undefined = {}; marker !== undefined;) {
      const query: Record<string, string> = { uploads: '', prefix, ...marker };
      const page: string = await mapFaults(() => this.client.text({ method: 'GET', query }));
      for (const upload of elementsOf(page, 'Upload'))
        yield { key: textOf(upload, 'Key') ?? '', id: textOf(upload, 'UploadId') ?? '' };
      const [key, id] = [textOf(page, 'NextKeyMarker'), textOf(page, 'NextUploadIdMarker')];
      const hasMore = textOf(page, 'IsTruncated') === 'true' && key !== undefined;
      marker = hasMore ? { 'key-marker': key, 'upload-id-marker': id ?? '' } : undefined;
    }
  }
}

/** Removes the quotes of a tag for comparison. Stores send them, clients often do not. */
export function unquoted(tag: string): string {
  return tag.replace(/^"(.*)"$/, '$1');
}

function partXml({ tag, sha256 }: NamedPart, at: number): string {
  const checksum = sha256 === undefined ? '' : `<ChecksumSHA256>${sha256}</ChecksumSHA256>`;
  return `<Part><PartNumber>${at + 1}</PartNumber><ETag>&quot;${unquoted(tag)}&quot;</ETag>${checksum}</Part>`;
}
