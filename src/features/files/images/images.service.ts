import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineCounter } from '../../../kernel/metrics.js';
import type { ImageSize } from '../../../kernel/schema-definition.types.js';
import { FileObjects, logMissing, type ReadableFile } from '../file-objects.service.js';
import { FileStorage, ObjectMissing } from '../storage/file-storage.port.js';
import { acceptedFormat, type ImageFormat, imageName, recipeOf } from './image-format.js';
import { isImage } from './image-header.js';
import { ImageVariants, type VariantKey, type VariantObject } from './image-variants.service.js';
import { type CreatedImage, type FailedImage, ImageProcess } from './image-process.service.js';
import { defineLimit } from '../../../kernel/limits.js';

const PICTURES = defineCounter({
  name: 'lintel_pictures_total',
  help: 'Requests for images in another size, by outcome.',
  labels: { outcome: ['made', 'invalid', 'failed'] },
});

const MAX_BYTES = defineLimit(64 * 1_048_576, 'Files', 'bytes of an image of which sizes are created', 'image_invalid');
const WAIT_MS = 20_000;
const POLL_MS = 100;

interface RequestedVariant extends VariantKey {
  readonly file: ReadableFile;
  readonly size: ImageSize;
  readonly format: ImageFormat | null;
}

/**
 * Images in other sizes. They are created on the first read, once across all instances, and deleted with the original. A file that is not
 * an image is tried only once.
 */
@Injectable()
export class Images {
  private readonly logger = new Logger('Files');
  private readonly making = new Map<string, Promise<ReadableFile | null>>();

  constructor(
    private readonly variants: ImageVariants,
    private readonly objects: FileObjects,
    private readonly storage: FileStorage,
    private readonly process: ImageProcess,
  ) {}

  /**
   * Returns an image in a size and an accepted format; null if the library is missing.
   *
   * @throws AppError `image_invalid` for a file that is not an image or is too large; `server_busy`; `file_not_found` if it was just
   * removed.
   */
  async get(file: ReadableFile, size: ImageSize, accept: string | undefined): Promise<ReadableFile | null> {
    if (!isImage(file.recognised) || file.size > MAX_BYTES) throw new AppError('image_invalid');
    const format = acceptedFormat(accept, size);
    const variant = { file, size, format, sourceId: file.objectId, recipe: recipeOf(size, format) };
    const found = await this.variants.find(variant);
    if (typeof found === 'object') return variantFile(file, found);
    const key = `${variant.sourceId} ${variant.recipe}`;
    const making = this.making.get(key) ?? this.create(variant).finally(() => this.making.delete(key));
    this.making.set(key, making);
    return making;
  }

  /** Creates an image if this instance claims it first. Otherwise polls until it exists. */
  private async create(variant: RequestedVariant): Promise<ReadableFile | null> {
    for (let waited = 0; waited < WAIT_MS; waited += POLL_MS) {
      if (await this.variants.claim(variant)) return this.produce(variant);
      await sleep(POLL_MS);
      const found = await this.variants.find(variant);
      if (typeof found === 'object') return variantFile(variant.file, found);
      if (found === 'none' && !(await this.variants.isLive(variant.sourceId))) throw new AppError('file_not_found');
    }
    throw new AppError('server_busy');
  }

  private async produce(variant: RequestedVariant): Promise<ReadableFile | null> {
    const { file, size, format } = variant;
    try {
      const open = async () => ({ ...size, format, length: file.size, bytes: await this.read(file) });
      const outcome = await this.process.create(open);
      if (outcome.kind === 'made') return await this.store(variant, outcome);
      if (outcome.kind !== 'missing') return await this.refuse(variant, outcome);
      await this.variants.release(variant);
      return null;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'image_invalid')) await this.variants.release(variant);
      throw error;
    }
  }

  private async read(file: ReadableFile): Promise<Readable> {
    try {
      return await this.storage.read(file.objectId);
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      logMissing(file);
      throw new AppError('file_not_found', { cause: error });
    }
  }

  private async refuse(variant: RequestedVariant, { kind, detail }: FailedImage): Promise<never> {
    PICTURES.inc({ outcome: kind });
    this.logger.warn({ file: variant.file.id, kind, detail, msg: 'An image size could not be created.' });
    await this.variants.refuse(variant, kind === 'invalid');
    throw new AppError('image_invalid');
  }

  /** The row is written before the object, as for every object. */
  private async store(variant: RequestedVariant, { bytes, format, original }: CreatedImage): Promise<ReadableFile> {
    const { file } = variant;
    const object = await this.objects.start(file.id, null, bytes.length);
    const stored = { id: object.id, type: `image/${format}`, size: bytes.length, sha256: hash('sha256', bytes) };
    try {
      await this.storage.write(object.id, parts(bytes));
      if (await this.variants.finish(variant, stored, original)) {
        PICTURES.inc({ outcome: 'made' });
        return variantFile(file, stored);
      }
    } catch (error) {
      await this.objects.discard(object).catch(() => undefined);
      throw error;
    }
    await this.objects.discard(object).catch(() => undefined);
    const quicker = await this.variants.find(variant);
    if (typeof quicker === 'object') return variantFile(file, quicker);
    throw new AppError('file_not_found');
  }
}

function variantFile({ id, name }: ReadableFile, { id: objectId, type, size, sha256 }: VariantObject): ReadableFile {
  return { id, objectId, name: imageName(name, type), type, recognised: type, size, sha256 };
}

async function* parts(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
