import { defineLimit } from '../../../kernel/limits.js';

/** 1,000 TiB. */
const MOST_FILE_QUOTA = defineLimit(
  1_099_511_627_776_000,
  'Files',
  'bytes of the file quota of a role',
  'field_invalid',
);

export const FILE_QUOTA_FORM = `null or a whole number of bytes, 0 for no bound, up to ${MOST_FILE_QUOTA}`;

/** Accepts bytes, 0 for unlimited, or null for no quota of this role. */
export function isFileQuota(value: unknown): boolean {
  if (value === null) return true;
  // 64-bit integers may be sent as text.
  const bytes = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(bytes) && Number(bytes) >= 0 && Number(bytes) <= MOST_FILE_QUOTA;
}
