import { isStorable } from '../../../../kernel/text/storable-text.js';
import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { invalidField } from '../../files.dto.js';
import { declaredType } from '../checked-bytes.js';
import type { LinkTarget } from '../upload-links.service.js';
import { checksumOf, fileName, type UploadRequest, uploadRequestOf } from '../upload-request.js';
import type { AnnouncedUpload } from '../upload-store.service.js';
import { defineLimit } from '../../../../kernel/limits.js';

export const TUS = { version: '1.0.0', extensions: 'creation,expiration,termination' } as const;

const PART_TYPE = 'application/offset+octet-stream';
const COUNT = /^\d{1,15}$/;
const MAX_METADATA_LENGTH = defineLimit(4_096, 'Files', 'characters of `Upload-Metadata`');

/** The request of an upload. Sets the headers of every response, including errors. @throws AppError `upload_version` for another version. */
export const TusRequest = createParamDecorator((_data: unknown, context: ExecutionContext): UploadRequest => {
  const request = uploadRequestOf(context);
  const reply = context.switchToHttp().getResponse<FastifyReply>();
  void reply.headers({ 'tus-resumable': TUS.version, 'tus-version': TUS.version, 'cache-control': 'no-store' });
  if (request.headers['tus-resumable'] !== TUS.version) throw new AppError('upload_version');
  return request;
});

/** @throws AppError `content_type_unsupported` for a part of another type (tus 1.0, "PATCH"). */
export function assertPartType(headers: IncomingHttpHeaders): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === PART_TYPE) return;
  throw new AppError('content_type_unsupported', { message: `Send the part with the content type ${PART_TYPE}.` });
}

/** @throws AppError `validation_failed`. */
export function offsetOf(headers: IncomingHttpHeaders): number {
  return countOf(headers, 'Upload-Offset');
}

/** @throws AppError `validation_failed` with the name of the header. */
export function announcedUpload(headers: IncomingHttpHeaders): AnnouncedUpload {
  const size = countOf(headers, 'Upload-Length');
  const metadata = metadataOf(headers['upload-metadata']);
  return {
    size,
    name: fileName(metadata.get('filename') ?? metadata.get('name')),
    declared: declaredType(metadata.get('filetype') ?? metadata.get('type')),
    sha256: checksumOf(metadata.get('sha256')),
    target: targetOf(metadata),
    parts: [],
  };
}

function countOf(headers: IncomingHttpHeaders, name: string): number {
  const text = headers[name.toLowerCase()];
  if (typeof text === 'string' && COUNT.test(text)) return Number(text);
  throw invalidField(name, 'value_invalid', 'must be a number of bytes');
}

/** Comma-separated pairs of a key and a base64 value. */
function metadataOf(header: string | string[] | undefined): ReadonlyMap<string, string> {
  const text = header === undefined ? '' : String(header);
  if (text.length > MAX_METADATA_LENGTH) throw invalidField('Upload-Metadata', 'too_long', 'is too long');
  const pairs = text.split(',').map((pair) => pair.trim().split(' '));
  const metadata = new Map(pairs.map(([key = '', value = '']) => [key, Buffer.from(value, 'base64').toString()]));
  for (const [key, value] of metadata)
    if (!isStorable(value)) throw invalidField(key, 'characters_invalid', 'has characters that cannot be stored');
  return metadata;
}

function targetOf(metadata: ReadonlyMap<string, string>): LinkTarget | null {
  const [schema, record, field] = ['schema', 'record', 'field'].map((name) => metadata.get(name));
  if (schema === undefined && record === undefined && field === undefined) return null;
  if (schema !== undefined && record !== undefined && field !== undefined) return { schema, record, field };
  throw invalidField('Upload-Metadata', 'required', 'is incomplete: send schema, record and field together');
}
