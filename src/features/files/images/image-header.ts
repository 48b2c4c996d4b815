/** Number of first bytes that contain the dimensions. Camera metadata comes before them. */
export const IMAGE_HEAD_BYTES = 131_072;

/** Size as displayed, in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** A box of the ISO base media file format (ISO/IEC 14496-12 §4.2). */
interface Box {
  readonly type: string;
  readonly body: Buffer;
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
/** Properties of one item: more than any image has. @internal */
const MAX_PROPERTIES = 1_000;

export function isImage(recognised: string | null): boolean {
  return READERS.has(recognised ?? '');
}

/** Reads the dimensions of an image without decoding it; null if its first bytes do not contain them. */
export function dimensionsOf(recognised: string | null, head: Buffer): Dimensions | null {
  const found = READERS.get(recognised ?? '')?.(head) ?? null;
  if (found === null) return null;
  const isValid = [found.width, found.height].every((side) => side >= 1 && side <= LARGEST);
  return isValid ? found : null;
}

/** Portable Network Graphics §11.2.1. */
function pngSides(head: Buffer): Dimensions | null {
  if (head.length < 24 || head.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

/** GIF89a §18. */
function gifSides(head: Buffer): Dimensions | null {
  return head.length < 10 ? null : { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

/** ITU-T T.81 §B.2.2. Segments before the frame are skipped by their length. */
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
    // A scan before a frame, or an invalid length: not a JPEG.
    if (marker === 0xda || length < 2) return null;
    if (marker === 0xe1) isTurned ||= isTurnedBy(head.subarray(at + 4, at + 2 + length));
    at += 2 + length;
  }
  return null;
}

/** Returns whether the orientation (tag 274 of Exif 2.3 §4.6.4) swaps width and height. */
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

/** RFC 9649 §2.5 to §2.7. A WebP with Exif can be rotated, and only decoding shows it. */
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

/** The dimensions of the primary item (ISO/IEC 23008-12 §6.5), with its rotation. */
function avifSides(head: Buffer): Dimensions | null {
  const meta = find(boxesIn(head), 'meta');
  // `meta` is a full box: version and flags precede its boxes.
  const parts = meta === null ? [] : boxesIn(meta.subarray(4));
  const properties = boxesIn(find(parts, 'iprp') ?? Buffer.alloc(0));
  const list = boxesIn(find(properties, 'ipco') ?? Buffer.alloc(0));
  const primary = primaryItem(find(parts, 'pitm'));
  const own = propertiesOf(primary, find(properties, 'ipma')).flatMap((at) => list[at - 1] ?? []);
  const sides = find(own, 'ispe');
  // A clean aperture crops the image when it is decoded.
  if (sides === null || sides.length < 12 || find(own, 'clap') !== null) return null;
  const [width, height] = [sides.readUInt32BE(4), sides.readUInt32BE(8)];
  const isTurned = ((find(own, 'irot')?.at(0) ?? 0) & 1) === 1;
  return isTurned ? { width: height, height: width } : { width, height };
}

function boxesIn(bytes: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length && boxes.length < MAX_PROPERTIES;) {
    const size = bytes.readUInt32BE(at);
    // 64-bit sizes and boxes up to the end of the file occur for image data only.
    if (size < 8) break;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
}

function find(boxes: readonly Box[], type: string): Buffer | null {
  return boxes.find((box) => box.type === type)?.body ?? null;
}

function primaryItem(box: Buffer | null): number | null {
  if (box === null || box.length < 6) return null;
  if (box[0] === 0) return box.readUInt16BE(4);
  return box.length < 8 ? null : box.readUInt32BE(4);
}

/** Returns the 1-based indexes of an item's properties (ISO/IEC 23008-12 §9.3). */
function propertiesOf(item: number | null, box: Buffer | null): readonly number[] {
  if (item === null || box === null || box.length < 8) return [];
  const idBytes = box[0] === 0 ? 2 : 4;
  const placeBytes = ((box[3] ?? 0) & 1) === 1 ? 2 : 1;
  const count = box.readUInt32BE(4);
  for (let entry = 0, at = 8; entry < count && at + idBytes < box.length; entry += 1) {
    const id = box.readUIntBE(at, idBytes);
    const places = box[at + idBytes] ?? 0;
    const start = at + idBytes + 1;
    at = start + places * placeBytes;
    if (id !== item || at > box.length) continue;
    // The highest bit marks a property as essential.
    const mask = placeBytes === 2 ? 0x7fff : 0x7f;
    return Array.from({ length: places }, (_, one) => box.readUIntBE(start + one * placeBytes, placeBytes) & mask);
  }
  return [];
}
