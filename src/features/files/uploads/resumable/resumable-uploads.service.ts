import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { RecordGate } from '../../../../data/content/record-gate.service.js';
import { AppError } from '../../../../kernel/app-error.js';
import type { Principal } from '../../../../kernel/principal.types.js';
import { newId } from '../../../../kernel/random.js';
import { CONFIG } from '../../../../platform/config/config.module.js';
import type { Config } from '../../../../platform/config/config.types.js';
import { BodySegments } from '../body-segments.js';
import { tooLarge } from '../../field-rules.js';
import type { Sender } from '../../file-making.service.js';
import { FileObjects } from '../../file-objects.service.js';
import { ResumableFiles } from './resumable-files.service.js';
import { type KnownUpload, ResumableStates, type UploadState } from './resumable-states.service.js';
import { announcedUpload, offsetOf } from './tus-headers.js';
import { UploadLinks } from '../upload-links.service.js';

/** A request of a resumable upload. */
export interface ResumableRequest extends Sender {
  readonly headers: IncomingHttpHeaders;
}

/**
 * Takes files in that come in several requests (tus 1.0): what arrived is kept in segments, each an object that was noted before its first
 * byte, and made a file when all of it is there. Any instance goes on where another has stopped. Of two that write at one place the later
 * one goes on.
 */
@Injectable()
export class ResumableUploads {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly gate: RecordGate,
    private readonly links: UploadLinks,
    private readonly objects: FileObjects,
    private readonly states: ResumableStates,
    private readonly files: ResumableFiles,
  ) {}

  /**
   * Begins an upload; its id is that of the file.
   *
   * @throws AppError `validation_failed`, `permission_denied`, `file_too_large`, `quota_exceeded`; for a file of no bytes what {@link append} throws.
   */
  async create(request: ResumableRequest): Promise<UploadState & { readonly id: string }> {
    const { principal, headers } = request;
    await this.gate.assertOpen(principal, 'file', 'create');
    const announced = announcedUpload(headers);
    const rules = announced.target === null ? null : this.links.rules(announced.target);
    const most = Math.min(this.config.files.maxSize, rules?.max_size ?? Infinity);
    if (announced.size > most) throw tooLarge(most);
    const object = await this.objects.begin(newId(), ownerOf(principal), announced.size);
    const upload = await this.states.add(object, announced);
    if (announced.size === 0) await this.files.finish(upload, request);
    return { ...stateOf(upload), id: upload.id };
  }

  /**
   * Returns how much of an upload is there. If that is all of it, the file is.
   *
   * @throws AppError `file_not_found`; what {@link append} throws at the end.
   */
  async state(request: ResumableRequest, id: string): Promise<UploadState> {
    const owner = ownerOf(request.principal);
    const upload = await this.states.find(id, owner);
    if (upload === null) return this.states.finished(id, owner);
    if (upload.position === upload.size) await this.files.finish(upload, request);
    return stateOf(upload);
  }

  /**
   * Goes on with an upload, and makes the file when all of it is there.
   *
   * @throws AppError `file_not_found`; `upload_offset` if it goes on elsewhere; `upload_incomplete` if it breaks off; `file_too_large` for
   * more than was announced; at the end what sending a file throws.
   */
  async append(request: ResumableRequest, id: string, body: Readable): Promise<UploadState> {
    const segments = new BodySegments(body);
    try {
      const { principal, headers } = request;
      await this.gate.assertOpen(principal, 'file', 'create');
      const offset = offsetOf(headers);
      const upload = await this.states.claim(id, ownerOf(principal), offset);
      if (offset + Number(headers['content-length'] ?? 0) > upload.size) throw tooLarge(upload.size);
      const position = await this.take(upload, segments);
      if (position === upload.size) await this.files.finish({ ...upload, position }, request);
      return stateOf({ ...upload, position });
    } finally {
      await segments.release();
    }
  }

  /** Ends an upload, and removes what is there of it. @throws AppError `file_not_found`. */
  async remove(principal: Principal, id: string): Promise<void> {
    await this.states.remove(id, ownerOf(principal));
  }

  private async take(upload: KnownUpload, segments: BodySegments): Promise<number> {
    let { position } = upload;
    while (await segments.hasMore()) {
      const at = position;
      position = await this.files.keep({ ...upload, position: at }, segments);
    }
    if (segments.isBroken) throw new AppError('upload_incomplete');
    return position;
  }
}

function ownerOf(principal: Principal): string | null {
  return principal.kind === 'account' ? principal.userId : null;
}

function stateOf({ position, size, expiresAt }: KnownUpload): UploadState {
  return { position, size, expiresAt };
}
