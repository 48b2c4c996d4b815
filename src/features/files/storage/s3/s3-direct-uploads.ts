import type { S3Client } from './s3-client.js';
import type { S3Multipart, StoredPart } from './s3-multipart.js';
import { defineLimit } from '../../../../kernel/limits.js';

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

/**
 * Uploads whose parts clients send to the bucket themselves. An address is good for one part of one upload, of one length and with one
 * digest, for some minutes; once the upload is an object, or was aborted, it leads nowhere.
 */
export class S3DirectUploads {
  constructor(
    private readonly client: S3Client,
    private readonly multipart: S3Multipart,
  ) {}

  /** Begins an upload, and returns what the store calls it. */
  begin(key: string): Promise<string> {
    return this.multipart.begin(key, true);
  }

  /** Returns how a part is sent. */
  async address(key: string, uploadId: string, { number, size, sha256 }: AnnouncedPart): Promise<PartAddress> {
    const headers = { 'x-amz-checksum-sha256': sha256 };
    const query = { partNumber: String(number), uploadId };
    const signed = { ...headers, 'content-length': String(size) };
    const url = await this.client.presign({ method: 'PUT', key, query, headers: signed }, PART_URL_SECONDS);
    return { url, headers };
  }

  /** Returns the parts that are there, by number; null if there is no such upload: it was aborted, or is an object. */
  parts(key: string, uploadId: string): Promise<ReadonlyMap<number, StoredPart> | null> {
    return this.multipart.parts(key, uploadId);
  }

  /** Makes the object of all of its parts. */
  async complete(
    key: string,
    uploadId: string,
    parts: readonly AnnouncedPart[],
    there: ReadonlyMap<number, StoredPart>,
  ): Promise<void> {
    const named = parts.map(({ number, sha256 }) => ({ tag: there.get(number)?.tag ?? '', sha256 }));
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    await this.multipart.complete(key, uploadId, named, size);
  }
}
