import { isStorable } from '../../../../kernel/text/storable-text.js';
import { ApiProperty } from '@nestjs/swagger';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { membersOf } from '../../../../kernel/text/json-object.js';
import { Field } from '../../../../platform/http/input/field.decorator.js';
import {
  allOf,
  type FieldCheck,
  optionalInteger,
  optionalText,
  withConstraints,
} from '../../../../platform/http/http.public.js';
import { fileName } from '../file-name.js';
import { declaredType } from '../file-type.js';
import { linkTarget, SentFile, UploadQuery } from '../../files.dto.js';
import { LEAST_PART_BYTES, MOST_DIRECT_PARTS, MOST_PART_BYTES } from '../../storage/s3/s3-multipart.js';
import type { AnnouncedUpload } from '../upload-store.service.js';
import { defineLimit } from '../../../../kernel/limits.js';

const HEX_SHA256 = /^[0-9a-f]{64}$/i;
const DIGEST_INVALID = { code: 'digest_invalid', message: 'must be a SHA-256 in hex' };
const REQUIRED = { code: 'required', message: 'is required' };
const HEX_FORM = { type: 'string', pattern: '^[0-9a-fA-F]{64}$' };
const MOST_TAG = defineLimit(200, 'Files', 'characters of the ETag of a part', 'validation_failed');

const requiredInteger = (least: number, most: number): FieldCheck =>
  allOf(optionalInteger(least, most), (value) => (value === undefined || value === null ? REQUIRED : null));

const optionalDigest: FieldCheck = withConstraints({ pattern: HEX_FORM.pattern }, (value) =>
  value === undefined || value === null || isDigest(value) ? null : DIGEST_INVALID,
);

const requiredDigests: FieldCheck = withConstraints({ type: 'array', items: HEX_FORM }, (value) => {
  if (value === undefined || value === null) return REQUIRED;
  if (!Array.isArray(value)) return { code: 'type_invalid', message: 'must be a list' };
  return value.every(isDigest) ? null : DIGEST_INVALID;
});

const PART_FORM = {
  type: 'object',
  required: ['number', 'etag'],
  properties: { number: { type: 'integer', minimum: 1 }, etag: { type: 'string', maxLength: MOST_TAG } },
};

const requiredParts: FieldCheck = withConstraints({ type: 'array', items: PART_FORM }, (value) => {
  if (value === undefined || value === null) return REQUIRED;
  if (Array.isArray(value) && value.every(isGivenPart)) return null;
  return { code: 'value_invalid', message: 'must be a list of parts, each with its number and its etag' };
});

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && HEX_SHA256.test(value);
}

/** Members of a {@link DirectPart}, because a client may send these back. */
const PART_MEMBERS = new Set(['number', 'size', 'etag', 'url', 'headers']);

function isGivenPart(value: unknown): value is GivenPart {
  const part = membersOf(value);
  const { number, etag } = part;
  const hasForm =
    Number.isSafeInteger(number) && typeof etag === 'string' && etag.length <= MOST_TAG && isStorable(etag);
  return hasForm && Object.keys(part).every((name) => PART_MEMBERS.has(name));
}

/** A part that the client sent to the bucket. */
export interface GivenPart {
  readonly number: number;
  readonly etag: string;
}

/** Announcement of a file for the bucket. */
export class DirectBody extends UploadQuery {
  @Field(optionalText(1_000)) name?: string;
  @Field(optionalText(255)) type?: string;
  @Field(requiredInteger(1, Number.MAX_SAFE_INTEGER)) size: number;
  @Field(requiredInteger(LEAST_PART_BYTES, MOST_PART_BYTES)) part_size: number;
  @Field(requiredDigests) checksums: string[];
  @Field(optionalDigest) sha256?: string;
}

/** Request to complete an upload. */
export class CompleteBody {
  @Field(requiredParts) parts: GivenPart[];
}

/** A part of a direct upload. */
export class DirectPart {
  @ApiProperty({ description: 'From 1.' }) readonly number: number;
  @ApiProperty({ description: 'In bytes: what is sent must have this length.' }) readonly size: number;
  @ApiProperty({ type: String, nullable: true, description: 'That of the store; null for a part that is not there.' })
  readonly etag: string | null;
  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    description: 'Takes the part by PUT; null for one that is there.',
  })
  readonly url: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Headers that must be sent with it, as they are.',
  })
  readonly headers: Readonly<Record<string, string>>;
}

/** Progress of a direct upload. */
export class DirectUploadState {
  @ApiProperty({ format: 'uuid', description: 'That of the file, too.' }) readonly id: string;
  @ApiProperty({ type: [DirectPart] }) readonly parts: readonly DirectPart[];
  @ApiProperty({ format: 'date-time', description: 'Until when the file must be complete.' })
  readonly expires_at: string;
  @ApiProperty({ format: 'date-time', description: 'Until when the addresses of parts are good.' })
  readonly urls_expire_at: string;
  @ApiProperty({ type: SentFile, nullable: true, description: 'The file, once it is one.' })
  readonly file: SentFile | null;
}

/** @throws AppError `validation_failed` if the parts do not match the size, and for an incomplete link target. */
export function announcedDirectUpload(body: DirectBody): AnnouncedUpload {
  const { size, part_size: partSize, checksums, sha256 } = body;
  const count = Math.ceil(size / partSize);
  if (count > MOST_DIRECT_PARTS) throw invalid('part_size', `makes more than ${MOST_DIRECT_PARTS} parts of that size`);
  if (checksums.length !== count) throw invalid('checksums', `must be as many as the file has parts: ${count}`);
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

function invalid(field: string, message: string): AppError {
  return AppError.validation([{ field, code: 'value_invalid', message }]);
}
