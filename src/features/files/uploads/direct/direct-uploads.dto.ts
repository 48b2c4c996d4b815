import { isStorable } from '../../../../kernel/text/storable-text.js';
import { ApiProperty } from '@nestjs/swagger';
import { membersOf } from '../../../../kernel/text/json.js';
import {
  Field,
  type FieldCheck,
  optionalInteger,
  optionalText,
  required,
  withConstraints,
} from '../../../../platform/http/input/field.decorator.js';
import { declaredType } from '../checked-bytes.js';
import { fileName, HEX_SHA256 } from '../upload-request.js';
import { invalidField, linkTarget, SentFile, UploadQuery } from '../../files.dto.js';
import { LEAST_PART_BYTES, MAX_DIRECT_PARTS, MAX_PART_BYTES } from '../../storage/s3/s3-multipart.js';
import type { AnnouncedUpload } from '../upload-store.service.js';
import { defineLimit } from '../../../../kernel/limits.js';

const DIGEST_INVALID = { code: 'digest_invalid', message: 'must be a SHA-256 in hex' };
const HEX_FORM = { type: 'string', pattern: '^[0-9a-fA-F]{64}$' };
const MAX_ETAG_LENGTH = defineLimit(200, 'Files', 'characters of the ETag of a part');

const optionalDigest: FieldCheck = withConstraints({ pattern: HEX_FORM.pattern }, (value) =>
  value === undefined || value === null || isDigest(value) ? null : DIGEST_INVALID,
);

const digests: FieldCheck = withConstraints({ type: 'array', items: HEX_FORM }, (value) => {
  if (!Array.isArray(value)) return { code: 'type_invalid', message: 'must be a list' };
  return value.every(isDigest) ? null : DIGEST_INVALID;
});

const PART_FORM = {
  type: 'object',
  required: ['number', 'etag'],
  properties: { number: { type: 'integer', minimum: 1 }, etag: { type: 'string', maxLength: MAX_ETAG_LENGTH } },
};

const parts: FieldCheck = withConstraints({ type: 'array', items: PART_FORM }, (value) => {
  if (Array.isArray(value) && value.every(isUploadedPart)) return null;
  return { code: 'value_invalid', message: 'must be a list of parts, each with its number and its etag' };
});

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && HEX_SHA256.test(value);
}

/** Members of a {@link DirectPart}, because a client may send these back. */
const PART_MEMBERS = new Set(['number', 'size', 'etag', 'url', 'headers']);

function isUploadedPart(value: unknown): value is UploadedPart {
  const part = membersOf(value);
  const { number, etag } = part;
  const hasForm =
    Number.isSafeInteger(number) && typeof etag === 'string' && etag.length <= MAX_ETAG_LENGTH && isStorable(etag);
  return hasForm && Object.keys(part).every((name) => PART_MEMBERS.has(name));
}

/** A part that the client sent to the bucket. */
export interface UploadedPart {
  readonly number: number;
  readonly etag: string;
}

/** Announcement of a file for the bucket. */
export class DirectBody extends UploadQuery {
  @Field(optionalText(1_000)) name?: string;
  @Field(optionalText(255)) type?: string;
  @Field(required(optionalInteger(1, Number.MAX_SAFE_INTEGER))) size: number;
  @Field(required(optionalInteger(LEAST_PART_BYTES, MAX_PART_BYTES))) part_size: number;
  @Field(required(digests)) checksums: string[];
  @Field(optionalDigest) sha256?: string;
}

/** Request to complete an upload. */
export class CompleteBody {
  @Field(required(parts)) parts: UploadedPart[];
}

/** A part of a direct upload. */
export class DirectPart {
  @ApiProperty({ description: 'Number of the part, from 1.' }) readonly number: number;
  @ApiProperty({ description: 'Required length of the part in bytes.' }) readonly size: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: '`ETag` that the store returned; null for a missing part.',
  })
  readonly etag: string | null;
  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    description: 'URL to which the part is sent with PUT; null for a part that is already stored.',
  })
  readonly url: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Headers that must be sent unchanged with the part.',
  })
  readonly headers: Readonly<Record<string, string>>;
}

/** Progress of a direct upload. */
export class DirectUploadState {
  @ApiProperty({ format: 'uuid', description: 'Id of the upload, and of the file after completion.' })
  readonly id: string;
  @ApiProperty({ type: [DirectPart] }) readonly parts: readonly DirectPart[];
  @ApiProperty({ format: 'date-time', description: 'When the upload expires.' })
  readonly expires_at: string;
  @ApiProperty({ format: 'date-time', description: 'When the URLs of the parts expire.' })
  readonly urls_expire_at: string;
  @ApiProperty({ type: SentFile, nullable: true, description: 'The file, after completion.' })
  readonly file: SentFile | null;
}

/** @throws AppError `validation_failed` if the parts do not match the size, and for an incomplete link target. */
export function announcedDirectUpload(body: DirectBody): AnnouncedUpload {
  const { size, part_size: partSize, checksums, sha256 } = body;
  const count = Math.ceil(size / partSize);
  if (count > MAX_DIRECT_PARTS)
    throw invalidField('part_size', 'value_invalid', `requires more than ${MAX_DIRECT_PARTS} parts of this size`);
  if (checksums.length !== count)
    throw invalidField('checksums', 'value_invalid', `must have one entry per part: ${count}`);
  return {
    name: fileName(body.name),
    declared: declaredType(body.type),
    size,
    sha256: sha256?.toLowerCase() ?? null,
    target: linkTarget(body),
    parts: checksums.map((checksum, at) => ({
      number: at + 1,
      size: Math.min(partSize, size - at * partSize),
      sha256: Buffer.from(checksum, 'hex').toString('base64'),
    })),
  };
}
