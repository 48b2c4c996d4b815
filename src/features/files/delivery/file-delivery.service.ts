import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal } from '../../../kernel/principal.types.js';
import { type Delivery, fileAnswer } from './file-answer.js';
import { logMissing, type ReadableFile } from '../file-objects.service.js';
import type { FileQuery } from '../files.dto.js';
import { ImageVariants } from '../images/image-variants.service.js';
import { FileReading, type FoundFile } from './file-reading.service.js';
import { type ByteRange, ObjectMissing } from '../storage/file-storage.port.js';
import { ObjectBytes } from '../storage/object-bytes.service.js';
import { Images } from '../images/images.service.js';
import { SignedAddresses } from './signed-addresses.service.js';

interface FileAddress extends FileQuery {
  readonly id: string;
}

interface FoundDelivery extends FoundFile {
  readonly sizeName: string | null;
  readonly delivery: Delivery;
}

/** Serves files with one statement and one read of the storage. */
@Injectable()
export class FileDelivery {
  constructor(
    private readonly reading: FileReading,
    private readonly addresses: SignedAddresses,
    private readonly images: Images,
    private readonly variants: ImageVariants,
    private readonly objects: ObjectBytes,
  ) {}

  /** @throws AppError `file_not_found`, and the errors of {@link FileReading.get} and {@link Images.get}. */
  async send(principal: Principal, address: FileAddress, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { file, size, sizeName, delivery } = await this.find(principal, address);
    const image = size === null ? null : await this.images.get(file, size, request.headers.accept);
    const { status, headers, range } = fileAnswer(image ?? file, request, delivery);
    const isRead = range !== null && request.method !== 'HEAD';
    const bytes = isRead ? await this.open(image ?? file, range, image !== null) : null;
    void reply
      .code(status)
      .headers(size === null ? headers : withSizeHeaders(headers, image === null ? 'original' : sizeName));
    // The empty stream keeps the `Content-Length` of a response to HEAD.
    await (range === null ? reply.send() : reply.send(bytes ?? Readable.from([])));
  }

  private async find(principal: Principal, { id, access, disposition, size }: FileAddress): Promise<FoundDelivery> {
    const sizeName = size ?? null;
    if (access !== undefined) {
      const { isSaved, ...opened } = await this.addresses.open(id, access, sizeName);
      return { ...opened, delivery: { isSaved, isPublic: false, isSigned: true } };
    }
    const found = await this.reading.get(principal, id, sizeName);
    const delivery = { isSaved: disposition === 'attachment', isPublic: principal.kind === 'guest', isSigned: false };
    return { ...found, sizeName, delivery };
  }

  /** A created image whose bytes are missing is created again by the next request. */
  private async open(file: ReadableFile, range: ByteRange, isVariant: boolean): Promise<Buffer | Readable> {
    try {
      return await this.objects.read(file.objectId, file.size, range);
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      logMissing(file);
      if (isVariant) await this.variants.forget(file.objectId);
      throw new AppError(isVariant ? 'server_busy' : 'file_not_found', { cause: error });
    }
  }
}

/** The format depends on `Accept`. The size can be that of the original, if the server cannot create images. */
function withSizeHeaders(headers: Readonly<Record<string, string>>, size: string | null): Record<string, string> {
  return { ...headers, vary: `${headers['vary'] ?? ''}, Accept`, 'lintel-size': size ?? '' };
}
