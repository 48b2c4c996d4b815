import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../../../kernel/errors/app-error.js';
import type { Principal } from '../../../../kernel/principal.types.js';
import { bodyParts } from '../../../../platform/http/http.public.js';
import { tooLarge } from '../checked-bytes.js';
import type { Sender } from '../file-publishing.service.js';
import { FileObjects } from '../../file-objects.service.js';
import { FileStorage } from '../../storage/file-storage.port.js';
import { countedUpload, ownerOf, UploadSessions } from '../upload-sessions.service.js';
import { type StoredUpload, type UploadKey, UploadStore } from '../upload-store.service.js';
import type { UploadRequest } from '../upload-request.js';
import { announcedUpload, offsetOf } from './tus-headers.js';

/** Errors after which the same upload can still become a file. */
const PASSING: ReadonlySet<string> = new Set(['upload_expired', 'upload_incomplete', 'file_not_found']);

/** After a crash of the server, a client must resend at most this much. */
const SEGMENT_BYTES = 32 * 1_048_576;

export interface UploadState {
  readonly position: number;
  readonly size: number;
  /** Null for an upload that has become a file. */
  readonly expiresAt: Date | null;
}

/**
 * Uploads in several requests (tus 1.0). Received bytes are stored in segments, each an object. They become one object when all are stored.
 * Any instance can continue an upload of another one. If two requests write at the same position, the later one takes over.
 */
@Injectable()
export class ResumableUploads {
  constructor(
    private readonly sessions: UploadSessions,
    private readonly store: UploadStore,
    private readonly objects: FileObjects,
    private readonly storage: FileStorage,
  ) {}

  /** @throws AppError `validation_failed`, and the errors of {@link UploadSessions}. */
  async create(request: UploadRequest): Promise<UploadState & { readonly id: string }> {
    await this.sessions.assertAllowed(request.principal);
    const upload = await this.sessions.announce(request.principal, announcedUpload(request.headers), null);
    if (upload.size === 0) await this.finish(upload, request);
    return { ...stateOf(upload), id: upload.id };
  }

  /**
   * Returns the progress, and publishes the file if all bytes are stored.
   *
   * @throws AppError `file_not_found`, and the errors of {@link append}.
   */
  async state(request: UploadRequest, id: string): Promise<UploadState> {
    const key = keyOf(request.principal, id);
    const upload = await this.store.find(key);
    if (upload === null) {
      const size = await this.store.finishedSize(key);
      return { position: size, size, expiresAt: null };
    }
    if (upload.position === upload.size) await this.finish(upload, request);
    return stateOf(upload);
  }

  /**
   * @throws AppError `file_not_found`; `upload_offset` if another request took over; `upload_incomplete` if the body breaks off;
   * `file_too_large` for more bytes than announced; and the errors of {@link UploadSessions.finish}.
   */
  async append(request: UploadRequest, id: string): Promise<UploadState> {
    const segments = new BodySegments(request.body);
    try {
      const { principal, headers } = request;
      await this.sessions.assertAllowed(principal);
      const offset = offsetOf(headers);
      const upload = await this.claim(keyOf(principal, id), offset);
      if (offset + Number(headers['content-length'] ?? 0) > upload.size) throw tooLarge(upload.size);
      const position = await this.receive(upload, segments);
      if (position === upload.size) await this.finish({ ...upload, position }, request);
      return stateOf({ ...upload, position });
    } finally {
      await segments.release();
    }
  }

  /** @throws AppError `file_not_found`. */
  async remove(principal: Principal, id: string): Promise<void> {
    await this.store.remove(keyOf(principal, id));
  }

  private async claim(key: UploadKey, offset: number): Promise<StoredUpload> {
    const upload = await this.store.claim(key, offset, null);
    if (upload !== null) return upload;
    if ((await this.store.find(key)) === null) await this.store.finishedSize(key);
    throw new AppError('upload_offset');
  }

  private async receive(upload: StoredUpload, segments: BodySegments): Promise<number> {
    let { position } = upload;
    while (await segments.hasMore()) position = await this.storeSegments({ ...upload, position }, segments);
    if (segments.isBroken) throw new AppError('upload_incomplete');
    return position;
  }

  /** Stores the next segment. Returns the position after it. */
  private async storeSegments(upload: StoredUpload, segments: BodySegments): Promise<number> {
    const segment = await this.objects.start(upload.id, null, null);
    try {
      await this.storage.write(segment.id, bounded(segments.segment(), upload.size - upload.position));
      return await this.store.move(upload, segments.size, segment.id);
    } catch (error) {
      await this.objects.discard(segment).catch(() => undefined);
      throw error;
    }
  }

  private async finish(upload: StoredUpload, sender: Sender): Promise<void> {
    await countedUpload(async () => {
      const object = await this.store.reserve(upload);
      try {
        const source = { ...upload, bytes: this.bytes(upload.id) };
        const received = { object, source, target: upload.target };
        await this.sessions.finish(received, sender, (manager) => this.store.close(manager, upload));
      } catch (error) {
        if (isFinal(error)) await this.store.abandon(upload);
        throw error;
      }
    });
  }

  private async *bytes(id: string): AsyncGenerator<Uint8Array> {
    for (const segment of await this.store.segments(id))
      yield* (await this.storage.read(segment)) as AsyncIterable<Uint8Array>;
  }
}

function keyOf(principal: Principal, id: string): UploadKey {
  return { id, owner: ownerOf(principal), isDirect: false };
}

function stateOf({ position, size, expiresAt }: StoredUpload): UploadState {
  return { position, size, expiresAt };
}

function isFinal(error: unknown): boolean {
  return error instanceof AppError && error.status < 500 && !PASSING.has(error.code);
}

/** @throws AppError `file_too_large` for more than `maxBytes` bytes. */
async function* bounded(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let remaining = maxBytes;
  for await (const part of bytes) {
    if ((remaining -= part.length) < 0) throw new AppError('file_too_large');
    yield part;
  }
}

/** Splits a body into segments while it arrives. If the body breaks off, the received bytes are kept. */
class BodySegments {
  isBroken = false;
  size = 0;
  private readonly parts: AsyncIterator<Uint8Array>;
  private next: Uint8Array | null = null;

  constructor(body: Readable) {
    this.parts = bodyParts(body)[Symbol.asyncIterator]();
  }

  /** Resolves with the next byte, or at the end of the body. */
  async hasMore(): Promise<boolean> {
    this.next ??= await this.pull();
    return this.next !== null;
  }

  async *segment(): AsyncGenerator<Uint8Array> {
    this.size = 0;
    while (this.size < SEGMENT_BYTES && (await this.hasMore())) {
      const part = this.next ?? new Uint8Array();
      const slice = part.subarray(0, SEGMENT_BYTES - this.size);
      this.next = slice.length < part.length ? part.subarray(slice.length) : null;
      this.size += slice.length;
      yield slice;
    }
  }

  /** Stops reading. The server discards the rest of the body. */
  async release(): Promise<void> {
    await this.parts.return?.();
  }

  private async pull(): Promise<Uint8Array | null> {
    try {
      for (;;) {
        const next = (await this.parts.next()) as IteratorResult<Uint8Array, undefined>;
        if (next.done === true) return null;
        if (next.value.length > 0) return next.value;
      }
    } catch {
      this.isBroken = true;
      return null;
    }
  }
}
