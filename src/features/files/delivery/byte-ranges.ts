import type { ByteRange } from '../storage/file-storage.port.js';

/** Range of a file that is asked for: all of it, a part, or a part that there is not. */
export type AskedRange = ByteRange | 'whole' | 'unsatisfiable';

const RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i;

/**
 * Returns what a `Range` asks for (RFC 9110 §14). One that cannot be read, or asks for several parts, is as if it were not there: to
 * answer the whole is always right, and costs less than many small parts would.
 */
export function askedRange(header: string | undefined, size: number): AskedRange {
  const match = RANGE.exec(header?.replace(/[ \t]+/g, '') ?? '');
  if (match === null) return 'whole';
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}
