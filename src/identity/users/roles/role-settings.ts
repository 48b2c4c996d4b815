import { defineLimit } from '../../../kernel/limits.js';

/** Whether users of a role have no second factor, may have one, or must have one. */
export const FACTOR_RULES: readonly unknown[] = ['off', 'optional', 'required'];

export const MAX_GRACE_DAYS = defineLimit(
  365,
  'Accounts',
  'days that a role allows for adding a second factor',
  'field_invalid',
);

/** 1,000 TiB. */
const MAX_FILE_QUOTA = defineLimit(
  1_099_511_627_776_000,
  'Files',
  'bytes of the file quota of a role',
  'field_invalid',
);

export const FILE_QUOTA_FORM = `null or a whole number of bytes, 0 for no bound, up to ${MAX_FILE_QUOTA}`;

/** Accepts bytes, 0 for unlimited, or null for no quota of this role. */
export function isFileQuota(value: unknown): boolean {
  if (value === null) return true;
  // 64-bit integers may be sent as text.
  const bytes = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(bytes) && Number(bytes) >= 0 && Number(bytes) <= MAX_FILE_QUOTA;
}
