/** A box of the ISO base media file format (ISO/IEC 14496-12 §4.2). */
interface Box {
  readonly type: string;
  readonly body: Buffer;
}

/** Properties of one item: more than any image has. @internal */
const MAX_PROPERTIES = 1_000;

/** Reads the sides of an AVIF: those of its primary item (ISO/IEC 23008-12 §6.5), with its rotation. */
export function avifSides(head: Buffer): { readonly width: number; readonly height: number } | null {
  const meta = find(boxesIn(head), 'meta');
  // `meta` is a full box: version and flags come before its boxes.
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

/** Returns the places of an item's properties, from 1 (ISO/IEC 23008-12 §9.3). */
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
