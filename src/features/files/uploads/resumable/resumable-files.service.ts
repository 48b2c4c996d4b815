import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../../../kernel/app-error.js';
import { CONFIG } from '../../../../platform/config/config.module.js';
import type { Config } from '../../../../platform/config/config.types.js';
import type { BodySegments } from '../body-segments.js';
import { CheckedBytes } from '../checked-bytes.js';
import { FileMaking, type Sender } from '../../file-making.service.js';
import { FileObjects } from '../../file-objects.service.js';
import { FileStorage } from '../../storage/file-storage.port.js';
import { type KnownUpload, ResumableStates } from './resumable-states.service.js';
import { UploadLinks } from '../upload-links.service.js';
import { countedUpload } from '../upload-outcomes.js';

const PASSING: ReadonlySet<string> = new Set(['upload_expired', 'upload_incomplete', 'file_not_found']);

/** Keeps the segments of resumable uploads, and makes files of them. */
@Injectable()
export class ResumableFiles {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly objects: FileObjects,
    private readonly states: ResumableStates,
    private readonly storage: FileStorage,
    private readonly making: FileMaking,
    private readonly links: UploadLinks,
  ) {}

  /**
   * Keeps the next segment of a body, and returns where the one after it begins.
   *
   * @throws AppError `upload_offset` if another request took the upload over; `file_too_large` for more than was announced.
   */
  async keep(upload: KnownUpload, segments: BodySegments): Promise<number> {
    const segment = await this.objects.begin(upload.id, null, null);
    try {
      await this.storage.write(segment.id, bounded(segments.segment(), upload.size - upload.position));
      return await this.states.move(upload, segments.size, segment.id);
    } catch (error) {
      await this.objects.discard(segment).catch(() => undefined);
      throw error;
    }
  }

  /** Makes the file of an upload that is whole. What can never be one is removed. Throws what sending a file throws. */
  async finish(upload: KnownUpload, sender: Sender): Promise<void> {
    await countedUpload(() => this.make(upload, sender));
  }

  private async make(upload: KnownUpload, sender: Sender): Promise<void> {
    const { id, owner, name, target } = upload;
    // Another object each time: an earlier try may have died in the middle of one.
    const object = await this.dataSource.transaction(async (manager) => {
      await this.states.lock(manager, id);
      await this.objects.giveUp(manager, upload.objectId);
      const begun = await this.objects.beginIn(manager, id, owner, upload.size);
      await this.states.reserve(manager, id, begun.id);
      return begun;
    });
    try {
      const rules = target === null ? null : this.links.rules(target);
      const source = { ...upload, length: upload.size, bytes: this.bytes(id), arrived: () => Promise.resolve() };
      const checked = new CheckedBytes(source, this.config.files.maxSize, rules);
      await this.storage.write(object.id, checked.pass());
      await this.dataSource.transaction(async (manager) => {
        await this.states.lock(manager, id);
        await this.making.make(manager, sender, { object, file: checked.result, name }, target);
        await this.states.end(manager, id);
      });
    } catch (error) {
      await this.objects.discard(object).catch(() => undefined);
      if (isFinal(error)) await this.dataSource.transaction((manager) => this.states.end(manager, id));
      throw error;
    }
  }

  private async *bytes(id: string): AsyncGenerator<Uint8Array> {
    for (const part of await this.states.parts(id)) yield* (await this.storage.read(part)) as AsyncIterable<Uint8Array>;
  }
}

/**
 * Returns whether a refusal is final. What the storage could not read, and what another request has begun anew, may be a file the next
 * time.
 */
function isFinal(error: unknown): boolean {
  return error instanceof AppError && error.status < 500 && !PASSING.has(error.code);
}

/** @throws AppError `file_too_large` for more bytes than there is room for. */
async function* bounded(bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let left = most;
  for await (const part of bytes) {
    if ((left -= part.length) < 0) throw new AppError('file_too_large');
    yield part;
  }
}
