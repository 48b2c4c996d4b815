import { isPictureSide, PICTURE_SIZE_NAME } from '../../../data/model/picture-sizes.js';
import type { PictureSize } from '../../../kernel/schema-definition.types.js';
import { ValueFault } from '../../../platform/config/config.public.js';

const SIZE = /^([^=]*)=(\d{0,4})x(\d{0,4})(:cover)?$/;

/** Reads `thumb=320x320,wide=1600x,card=800x600:cover`. @throws ValueFault for what is no list of sizes. */
export function parseSizes(text: string): ReadonlyMap<string, PictureSize> {
  const entries = text.split(',').map((part): [string, PictureSize] => {
    const [, name = '', width = '', height = '', cover] = SIZE.exec(part.trim()) ?? [];
    const sides = [width, height].filter((side) => side !== '').map(Number);
    if (!PICTURE_SIZE_NAME.test(name) || sides.length === 0 || !sides.every(isPictureSide))
      throw new ValueFault('be sizes such as thumb=320x320,wide=1600x');
    return [
      name,
      {
        ...(width === '' ? {} : { width: Number(width) }),
        ...(height === '' ? {} : { height: Number(height) }),
        ...(cover === undefined ? {} : { fit: 'cover' as const }),
      },
    ];
  });
  if (new Set(entries.map(([name]) => name)).size < entries.length) throw new ValueFault('name each size once');
  return new Map(entries);
}
