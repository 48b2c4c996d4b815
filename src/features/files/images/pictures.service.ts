import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineCounter } from '../../../kernel/metrics.js';
import type { PictureSize } from '../../../kernel/schema-definition.types.js';
import type { ReadableFile } from '../file-object.entity.js';
import { FileObjects } from '../file-objects.service.js';
import { FileStorage, ObjectMissing } from '../storage/file-storage.port.js';
import { acceptedFormat, isPicture, type PictureFormat, pictureName, recipeOf } from './picture-format.js';
import { imageInvalid, PictureVariants, type VariantKey, type VariantObject } from './picture-variants.service.js';
import type { MadePicture, UnmadePicture } from './picture-exchange.js';
import { PictureProcess } from './picture-process.service.js';
import { defineLimit } from '../../../kernel/limits.js';

const PICTURES = defineCounter({
  name: 'lintel_pictures_total',
  help: 'Pictures that were to be made in another size, by what became of them.',
  labels: { outcome: ['made', 'invalid', 'failed'] },
});

const MOST_BYTES = defineLimit(
  64 * 1_048_576,
  'Files',
  'bytes of an image of which sizes are created',
  'image_invalid',
);
const WAIT_MS = 20_000;
const LOOK_EVERY_MS = 100;

interface AskedPicture extends VariantKey {
  readonly file: ReadableFile;
  readonly size: PictureSize;
  readonly format: PictureFormat | null;
}

/**
 * Images in other sizes. They are created on the first read, once across all instances, and deleted with the original. A file that is not
 * an image is tried only once.
 */
@Injectable()
export class Pictures {
  private readonly logger = new Logger('Files');
  private readonly making = new Map<string, Promise<ReadableFile | null>>();

  constructor(
    private readonly variants: PictureVariants,
    private readonly objects: FileObjects,
    private readonly storage: FileStorage,
    private readonly process: PictureProcess,
  ) {}

  /**
   * Returns an image in a size and an accepted format; null if the library is missing.
   *
   * @throws AppError `image_invalid` for a file that is not an image or is too large; `server_busy`; `file_not_found` if it was just
   * removed.
   */
  async get(file: ReadableFile, size: PictureSize, accept: string | undefined): Promise<ReadableFile | null> {
    if (!isPicture(file.recognised) || file.size > MOST_BYTES) throw imageInvalid();
    const format = acceptedFormat(accept, size);
    const asked = { file, size, format, sourceId: file.objectId, recipe: recipeOf(size, format) };
    const found = await this.variants.find(asked);
    if (typeof found === 'object') return shown(file, found);
    const key = `${asked.sourceId} ${asked.recipe}`;
    const making = this.making.get(key) ?? this.make(asked).finally(() => this.making.delete(key));
    this.making.set(key, making);
    return making;
  }

  /** The next request creates it again. */
  async forget(objectId: string): Promise<void> {
    await this.variants.forget(objectId);
  }

  /** Creates an image if this instance claims it first. Otherwise polls until it exists. */
  private async make(asked: AskedPicture): Promise<ReadableFile | null> {
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_EVERY_MS) {
      if (await this.variants.claim(asked)) return this.produce(asked);
      await sleep(LOOK_EVERY_MS);
      const found = await this.variants.find(asked);
      if (typeof found === 'object') return shown(asked.file, found);
      if (found === 'none' && !(await this.variants.isLive(asked.sourceId))) throw new AppError('file_not_found');
    }
    throw new AppError('server_busy');
  }

  private async produce(asked: AskedPicture): Promise<ReadableFile | null> {
    const { file, size, format } = asked;
    try {
      const outcome = await this.process.make(async () => ({
        ...size,
        format,
        length: file.size,
        bytes: await this.read(file),
      }));
      if (outcome.kind === 'made') return await this.keep(asked, outcome);
      if (outcome.kind !== 'missing') return await this.refuse(asked, outcome);
      await this.variants.release(asked);
      return null;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'image_invalid')) await this.variants.release(asked);
      throw error;
    }
  }

  private async read({ id, objectId }: ReadableFile): Promise<Readable> {
    try {
      return await this.storage.read(objectId);
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      this.logger.error({ file: id, object: objectId, msg: 'The bytes of a file are gone: `files:check` lists such.' });
      throw new AppError('file_not_found', { cause: error });
    }
  }

  private async refuse(asked: AskedPicture, { kind, detail }: UnmadePicture): Promise<never> {
    PICTURES.inc({ outcome: kind });
    this.logger.warn({ file: asked.file.id, kind, detail, msg: 'A picture could not be made.' });
    await this.variants.refuse(asked, kind === 'invalid');
    throw imageInvalid();
  }

  /** The row is written before the object, as for every object. */
  private async keep(asked: AskedPicture, { bytes, format, original }: MadePicture): Promise<ReadableFile> {
    const { file } = asked;
    const object = await this.objects.begin(file.id, null, bytes.length);
    const made = { id: object.id, type: `image/${format}`, size: bytes.length, sha256: digestOf(bytes) };
    try {
      await this.storage.write(object.id, parts(bytes));
      if (await this.variants.finish(asked, made, original)) {
        PICTURES.inc({ outcome: 'made' });
        return shown(file, made);
      }
    } catch (error) {
      await this.objects.discard(object).catch(() => undefined);
      throw error;
    }
    await this.objects.discard(object).catch(() => undefined);
    const quicker = await this.variants.find(asked);
    if (typeof quicker === 'object') return shown(file, quicker);
    throw new AppError('file_not_found');
  }
}

function shown({ id, name }: ReadableFile, { id: objectId, type, size, sha256 }: VariantObject): ReadableFile {
  return { id, objectId, name: pictureName(name, type), type, recognised: type, size, sha256 };
}

async function* parts(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
