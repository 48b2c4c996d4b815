import { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../kernel/app-error.js';
import type { Principal } from '../../kernel/principal.types.js';
import { type Delivery, fileAnswer, type ReadableFile } from './file-answer.js';
import { FileReading } from './file-reading.service.js';
import { type ByteRange, FileStorage, ObjectMissing } from './file-storage.port.js';
import { SignedAddresses } from './signed-addresses.service.js';

/** What the address of a file says beside it. */
export interface FileAddress {
  readonly id: string;
  /** What a signed address carries. */
  readonly access: string | undefined;
  readonly disposition: string | undefined;
}

/** Hands files out: asks the database once who may have them, and the storage once for the bytes. */
@Injectable()
export class FileDelivery {
  private readonly logger = new Logger('Files');

  constructor(
    private readonly reading: FileReading,
    private readonly addresses: SignedAddresses,
    private readonly storage: FileStorage,
  ) {}

  /** @throws AppError `file_not_found`. */
  async send(principal: Principal, address: FileAddress, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { file, delivery } = await this.find(principal, address);
    const { status, headers, range } = fileAnswer(file, request, delivery);
    const bytes = range === null ? null : await this.bytes(file, range, request.method);
    void reply.code(status).headers(headers);
    await (bytes === null ? reply.send() : reply.send(bytes));
  }

  private async find(
    principal: Principal,
    { id, access, disposition }: FileAddress,
  ): Promise<{ readonly file: ReadableFile; readonly delivery: Delivery }> {
    if (access !== undefined) {
      const { file, isSaved } = await this.addresses.open(id, access);
      return { file, delivery: { isSaved, isPublic: false, isSigned: true } };
    }
    const file = await this.reading.get(principal, id);
    const isSaved = disposition === 'attachment';
    return { file, delivery: { isSaved, isPublic: principal.kind === 'guest', isSigned: false } };
  }

  /** To HEAD the storage is not asked; a stream of nothing lets the length stand that a whole answer would have. */
  private async bytes(file: ReadableFile, range: ByteRange, method: string): Promise<Readable> {
    return method === 'HEAD' ? Readable.from([]) : this.open(file, range);
  }

  private async open({ id, objectId }: ReadableFile, range: ByteRange): Promise<Readable> {
    try {
      return await this.storage.read(objectId, range);
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      this.logger.error({ file: id, object: objectId, msg: 'The bytes of a file are gone: `files:check` lists such.' });
      throw new AppError('file_not_found', { cause: error });
    }
  }
}
