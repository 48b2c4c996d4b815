import type { PictureSize } from '../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from './schema-limits.js';

export const PICTURE_SIZE_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

export const PICTURE_FITS = ['inside', 'cover'] as const;

/** Returns whether a side of a picture, in pixels, is one that may be asked for. */
export function isPictureSide(side: unknown): side is number {
  return Number.isInteger(side) && (side as number) >= 1 && (side as number) <= SCHEMA_LIMITS.pictureSide;
}

export function isPictureFit(fit: unknown): fit is NonNullable<PictureSize['fit']> {
  return PICTURE_FITS.some((one) => one === fit);
}
