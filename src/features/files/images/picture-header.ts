import { avifSides } from './avif-header.js';

/** Number of first bytes of a picture that tell how large it is: what a camera writes comes before. */
export const PICTURE_HEAD_BYTES = 131_072;

/** Sides of a picture, as it is shown, in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

type Reader = (head: Buffer) => Dimensions | null;

const READERS: ReadonlyMap<string, Reader> = new Map([
  ['image/png', pngSides],
  ['image/gif', gifSides],
  ['image/jpeg', jpegSides],
  ['image/webp', webpSides],
  ['image/avif', avifSides],
]);
/** @internal */
const LARGEST = 2 ** 31 - 1;

/** Returns whether first bytes tell how large a file of a type is. */
export function tellsDimensions(recognised: string | null): boolean {
  return READERS.has(recognised ?? '');
}

/**
 * Returns how large a picture is; null if its first bytes do not tell. Nothing is decoded: numbers are read at their places.
 *
 * @param recognised the type that its first bytes say.
 */
export function dimensionsOf(recognised: string | null, head: Buffer): Dimensions | null {
  const found = READERS.get(recognised ?? '')?.(head) ?? null;
  if (found === null) return null;
  const isValid = [found.width, found.height].every((side) => side >= 1 && side <= LARGEST);
  return isValid ? found : null;
}

/** Reads the sides of a PNG (Portable Network Graphics §11.2.1). */
function pngSides(head: Buffer): Dimensions | null {
  if (head.length < 24 || head.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

/** Reads the sides of a GIF (GIF89a §18). */
function gifSides(head: Buffer): Dimensions | null {
  return head.length < 10 ? null : { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

/** Reads the sides of a JPEG (ITU-T T.81 §B.2.2); segments before the frame are passed over by their length. */
function jpegSides(head: Buffer): Dimensions | null {
  let isTurned = false;
  for (let at = 2; at + 9 <= head.length;) {
    if (head[at] !== 0xff) return null;
    const marker = head[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = head.readUInt16BE(at + 2);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const sides = { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
      return isTurned ? { width: sides.height, height: sides.width } : sides;
    }
    // A scan before a frame, or no length: it is none.
    if (marker === 0xda || length < 2) return null;
    if (marker === 0xe1) isTurned ||= isTurnedBy(head.subarray(at + 4, at + 2 + length));
    at += 2 + length;
  }
  return null;
}

/** Returns whether the orientation of Exif 2.3 §4.6.4 (tag 274) exchanges the sides. */
function isTurnedBy(segment: Buffer): boolean {
  const tiff = segment.subarray(6);
  if (segment.toString('latin1', 0, 6) !== 'Exif\0\0' || tiff.length < 10) return false;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return false;
  const count = short(directory);
  for (let entry = 0, at = directory + 2; entry < count && at + 12 <= tiff.length; entry += 1, at += 12)
    if (short(at) === 0x0112) return short(at + 8) >= 5 && short(at + 8) <= 8;
  return false;
}

/**
 * Reads the sides of a WebP (RFC 9649 §2.5 to §2.7). One that says that it has Exif may be turned: it does not tell before it was
 * decoded.
 */
function webpSides(head: Buffer): Dimensions | null {
  if (head.length < 30) return null;
  const kind = head.toString('latin1', 12, 16);
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (kind === 'VP8L') {
    const bits = head.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  const hasExif = (head.readUInt8(20) & 0x08) !== 0;
  if (kind !== 'VP8X' || hasExif) return null;
  return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
}
