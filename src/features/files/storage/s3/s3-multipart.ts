import { defineLimit } from '../../../../kernel/limits.js';
import { asked, elementsOf, S3Client, S3Fault, type S3Request, textOf, unlessMissing } from './s3-client.js';

/** For how long an address of a part is good. */
export const PART_URL_SECONDS = 900;
/** Bytes of a part, of all but the last (S3: `UploadPart`). */
export const LEAST_PART_BYTES = 5 * 1_048_576;
/** Bytes of any part. */
export const MOST_PART_BYTES = defineLimit(
  5 * 1_073_741_824,
  'Files',
  'bytes of one part of a direct upload',
  'validation_failed',
);
/** Parts of one upload: so many addresses are answered at a time. */
export const MOST_DIRECT_PARTS = defineLimit(1_000, 'Files', 'parts of one direct upload', 'validation_failed');

/** A part as it was announced. */
export interface AnnouncedPart {
  /** From 1. */
  readonly number: number;
  /** In bytes. */
  readonly size: number;
  /** In base64. */
  readonly sha256: string;
}

/** Address to which a part is sent in the bucket. */
export interface PartAddress {
  readonly url: string;
  /** Headers that must be sent with it, as they are; its length, which a client says by itself, is signed as well. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A part that is in the bucket, of an upload that is not yet an object. */
export interface StoredPart {
  /** As the store writes it, without its quotes. */
  readonly tag: string;
  /** In bytes. */
  readonly size: number;
}

/** A part of which an object is made. */
export interface NamedPart {
  readonly tag: string;
  /** SHA-256 in base64, of an upload that was begun with checksums. */
  readonly sha256?: string;
}

/** An upload in parts that did not become an object. */
export interface BegunUpload {
  readonly key: string;
  readonly id: string;
}

/** Uploads in parts (S3 API: `CreateMultipartUpload` and what belongs to it). Each method throws `storage_full` or `service_unavailable`. */
export class S3Multipart {
  constructor(private readonly client: S3Client) {}

  /** Begins one, and returns its id. @param hasChecksums whether each part comes with its SHA-256, which the store compares. */
  async begin(key: string, hasChecksums = false): Promise<string> {
    const headers: Record<string, string> = hasChecksums ? { 'x-amz-checksum-algorithm': 'SHA256' } : {};
    const begun = await asked(() => this.client.text({ method: 'POST', key, query: { uploads: '' }, headers }));
    return textOf(begun, 'UploadId') ?? '';
  }

  /**
   * Returns how a client sends a part itself. The address is good for one part of one upload, of one length and with one digest, for some
   * minutes; once the upload is an object, or was aborted, it leads nowhere.
   */
  async address(key: string, uploadId: string, { number, size, sha256 }: AnnouncedPart): Promise<PartAddress> {
    const headers = { 'x-amz-checksum-sha256': sha256 };
    const query = { partNumber: String(number), uploadId };
    const signed = { ...headers, 'content-length': String(size) };
    const url = await this.client.presign({ method: 'PUT', key, query, headers: signed }, PART_URL_SECONDS);
    return { url, headers };
  }

  /** Returns the parts that are there, by number; null if there is no such upload: it was aborted, or is an object. */
  async parts(key: string, uploadId: string): Promise<ReadonlyMap<number, StoredPart> | null> {
    const parts = new Map<number, StoredPart>();
    for (let marker: string | undefined = '0'; marker !== undefined;) {
      const query: Record<string, string> = { uploadId, 'part-number-marker': marker };
      const page: string | null = await asked(() =>
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

  /** Makes an object of parts, in their order. One that is there already in that size was made by a try whose answer was lost. */
  async complete(key: string, uploadId: string, parts: readonly NamedPart[], size: number): Promise<void> {
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.map(partXml).join('')}</CompleteMultipartUpload>`);
    const request: S3Request = { method: 'POST', key, query: { uploadId }, body };
    await asked(async () => {
      try {
        const answer = await this.client.text(request);
        // A fault that comes late comes with a 200.
        if (/<Error[\s>]/.test(answer)) throw new S3Fault(500, textOf(answer, 'Code') ?? '', request);
      } catch (error) {
        const made = await this.client.headers({ method: 'HEAD', key }).catch(unlessMissing);
        if (made === null || Number(made['content-length']) !== size) throw error;
      }
    });
  }

  /** Ends one that did not become an object; one that there is not is no mistake. */
  async abort(key: string, uploadId: string): Promise<void> {
    await asked(() => this.client.headers({ method: 'DELETE', key, query: { uploadId } }).catch(unlessMissing));
  }

  /** Lists those that did not become an object. */
  async *list(prefix: string): AsyncGenerator<BegunUpload> {
    for (let marker: Record<string, string> | undefined = {}; marker !== undefined;) {
      const query: Record<string, string> = { uploads: '', prefix, ...marker };
      const page: string = await asked(() => this.client.text({ method: 'GET', query }));
      for (const upload of elementsOf(page, 'Upload'))
        yield { key: textOf(upload, 'Key') ?? '', id: textOf(upload, 'UploadId') ?? '' };
      const [key, id] = [textOf(page, 'NextKeyMarker'), textOf(page, 'NextUploadIdMarker')];
      const hasMore = textOf(page, 'IsTruncated') === 'true' && key !== undefined;
      marker = hasMore ? { 'key-marker': key, 'upload-id-marker': id ?? '' } : undefined;
    }
  }
}

/** Returns the tag of a part or an object as it is compared: stores write it with quotes, clients often without. */
export function unquoted(tag: string): string {
  return tag.replace(/^"(.*)"$/, '$1');
}

function partXml({ tag, sha256 }: NamedPart, at: number): string {
  const checksum = sha256 === undefined ? '' : `<ChecksumSHA256>${sha256}</ChecksumSHA256>`;
  return `<Part><PartNumber>${at + 1}</PartNumber><ETag>&quot;${unquoted(tag)}&quot;</ETag>${checksum}</Part>`;
}
