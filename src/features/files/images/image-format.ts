import { createHash } from 'node:crypto';
import type { ImageSize } from '../../../kernel/schema-definition.types.js';

export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif';

/** A new version invalidates all stored variants. */
const VERSION = 1;
/** AVIF takes seconds for more pixels. @internal */
const MAX_AVIF_PIXELS = 2_000_000;
const NEWER = ['avif', 'webp'] as const;
const QUALITY = /;\s*q\s*=\s*([\d.]+)/i;

/**
 * Returns the smallest format in `Accept` (RFC 9110 §12.5.1); null for the format of the original. Wildcards are ignored, because clients
 * without support for newer formats send them.
 */
export function acceptedFormat(accept: string | undefined, size: ImageSize): ImageFormat | null {
  const named = new Set(
    (accept ?? '').split(',').flatMap((part) => {
      const [type = ''] = part.split(';');
      return Number(QUALITY.exec(part)?.[1] ?? 1) > 0 ? [type.trim().toLowerCase()] : [];
    }),
  );
  const { width, height } = size;
  const isLarge = (width ?? height ?? 0) * (height ?? width ?? 0) > MAX_AVIF_PIXELS;
  return NEWER.find((format) => named.has(`image/${format}`) && !(format === 'avif' && isLarge)) ?? null;
}

export function recipeOf({ width, height, fit }: ImageSize, format: ImageFormat | null): string {
  const parts = [VERSION, width ?? null, height ?? null, fit ?? 'inside', format];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function imageName(name: string, type: string): string {
  const ending = type === 'image/jpeg' ? 'jpg' : type.slice('image/'.length);
  return `${name.replace(/\.(?:jpe?g|png|webp|gif|avif)$/i, '')}.${ending}`;
}
