import { defineLimit } from '../../kernel/limits.js';
import type { ImageSize } from '../../kernel/schema-definition.types.js';

const ofSchemas = (value: number, subject: string): number => defineLimit(value, 'Schemas', subject, 'schema_invalid');

/** Limits of schema definitions. A definition beyond them is rejected, so that no schema makes requests slow. */
export const SCHEMA_LIMITS = {
  schemas: ofSchemas(2_000, 'schemas of one request or directory'),
  fields: ofSchemas(300, 'fields of a schema'),
  fileTypes: ofSchemas(50, 'media types of a file field'),
  imageSizes: ofSchemas(20, 'image sizes of a file field'),
  imageSide: ofSchemas(4_096, 'pixels of one side of an image size'),
  indexes: ofSchemas(32, 'indexes of a schema'),
  indexColumns: ofSchemas(16, 'columns of an index'),
  enums: ofSchemas(500, 'values of an enum'),
  enumValueBytes: ofSchemas(255, 'bytes of an enum value'),
  label: ofSchemas(255, 'characters of a label'),
  expression: ofSchemas(4_096, 'characters of a setter or getter'),
  /** The limit of PostgreSQL. */
  identifierBytes: ofSchemas(63, 'bytes of a name'),
  stringSize: ofSchemas(65_535, 'characters of a string field (`size`)'),
  textSize: ofSchemas(1_073_741_823, 'characters or bytes of a text or bytes field (`size`)'),
  defaultStringSize: 255,
  jsonBytes: ofSchemas(65_536, 'bytes of `default` and `renderer`, as JSON'),
  jsonDepth: ofSchemas(32, 'levels of nesting in `default` and `renderer`'),
  /** Maximum number of alternatives listed in an error message. */
  listedNames: 25,
} as const;

export const IMAGE_SIZE_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

export const IMAGE_FITS = ['inside', 'cover'] as const;

export function isImageSide(side: unknown): side is number {
  return Number.isInteger(side) && (side as number) >= 1 && (side as number) <= SCHEMA_LIMITS.imageSide;
}

export function isImageFit(fit: unknown): fit is NonNullable<ImageSize['fit']> {
  return IMAGE_FITS.some((one) => one === fit);
}
