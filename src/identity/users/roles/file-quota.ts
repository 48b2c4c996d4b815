import { defineLimit } from '../../../kernel/limits.js';

/** The largest quota of files, in bytes: 1,000 TiB. */
const MOST_FILE_QUOTA = defineLimit(
  1_099_511_627_776_000,
  'Files',
  'bytes of the file quota of a role',
  'field_invalid',
);

/** Form of a quota of files, in words. */
export const FILE_QUOTA_FORM = `null or a whole number of bytes, 0 for no bound, up to ${MOST_FILE_QUOTA}`;

/** Returns whether a value is a quota of files: bytes, 0 for no bound, or null for what says nothing. */
export function isFileQuota(value: unknown): boolean {
  if (value === null) return true;
  // Whole numbers of 64 bits may be written as text.
  const bytes = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(bytes) && Number(bytes) >= 0 && Number(bytes) <= MOST_FILE_QUOTA;
}
