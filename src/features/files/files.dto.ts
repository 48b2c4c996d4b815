import { ApiProperty } from '@nestjs/swagger';
import { AppError } from '../../kernel/errors/app-error.js';
import {
  allOf,
  Field,
  type FieldCheck,
  optionalFlag,
  optionalInteger,
  optionalText,
} from '../../platform/http/input/field.decorator.js';
import type { CheckedFile } from './uploads/checked-bytes.js';
import type { LinkTarget } from './uploads/upload-links.service.js';
import { defineLimit } from '../../kernel/limits.js';

/** The field that an uploaded file is linked to: all three, or none. */
export class UploadQuery {
  @Field(optionalText(63)) schema?: string;
  @Field(optionalText(200)) record?: string;
  @Field(optionalText(63)) field?: string;
}

const MAX_ACCESS_LENGTH = defineLimit(2_000, 'Files', 'characters of the signature in the address of a file');
const WEEK_SECONDS = defineLimit(604_800, 'Files', 'seconds that a signed address of a file is valid');

const optionalDisposition: FieldCheck = allOf(optionalText(20), (value) =>
  value === undefined || value === 'inline' || value === 'attachment'
    ? null
    : { code: 'value_invalid', message: 'must be inline or attachment' },
);

/** Query parameters of a file address. */
export class FileQuery {
  @Field(optionalText(MAX_ACCESS_LENGTH)) access?: string;
  @Field(optionalDisposition) disposition?: string;
  @Field(optionalText(32)) size?: string;
}

/** Request for a signed address. */
export class AddressBody {
  @Field(optionalInteger(1, WEEK_SECONDS)) expires_in?: number;
  @Field(optionalDisposition) disposition?: string;
  @Field(optionalFlag) session?: boolean;
  @Field(optionalText(32)) size?: string;
}

/** A signed address. */
export class SignedAddress {
  @ApiProperty({ format: 'uri' }) readonly url: string;
  @ApiProperty({ format: 'date-time' }) readonly expires_at: string;
}

/** An uploaded file. */
export class SentFile {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty() readonly name: string;
  @ApiProperty({ description: 'Media type, detected from the content if possible.' }) readonly type: string;
  @ApiProperty({ description: 'Size in bytes.' }) readonly size: number;
  @ApiProperty({ description: 'SHA-256 of the content, in hexadecimal.' }) readonly sha256: string;
  @ApiProperty({ type: Number, nullable: true, description: 'For images: size in pixels.' }) readonly width:
    | number
    | null;
  @ApiProperty({ type: Number, nullable: true }) readonly height: number | null;
  @ApiProperty({ format: 'uri' }) readonly url: string;
}

export function sentFile(appUrl: string, id: string, name: string, file: CheckedFile): SentFile {
  const { type, size, sha256, dimensions } = file;
  const { width = null, height = null } = dimensions ?? {};
  return { id, name, type, size, sha256, width, height, url: fileUrl(appUrl, id, name) };
}

/** @throws AppError `validation_failed` if a part of the target is missing. */
export function linkTarget(query: UploadQuery): LinkTarget | null {
  const { schema, record, field } = query;
  if (schema === undefined && record === undefined && field === undefined) return null;
  if (schema !== undefined && record !== undefined && field !== undefined) return { schema, record, field };
  const missing = (['schema', 'record', 'field'] as const).filter((name) => query[name] === undefined);
  const errors = missing.map((name) => ({ field: name, code: 'required', message: 'is missing' }));
  throw AppError.validation(errors);
}

export function invalidField(field: string, code: string, message: string): AppError {
  return AppError.validation([{ field, code, message }]);
}

/** Returns the URL of a file. The server ignores the name in it; browsers save the file under it. */
export function fileUrl(appUrl: string, id: string, name: string): string {
  return `${appUrl}/api/files/${id}/${encodeURIComponent(name)}`;
}
