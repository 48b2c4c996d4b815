import { defineLimit } from '../../../kernel/limits.js';

/** Rules of a role for second factors: its people have none, may have one, or have to. */
export const FACTOR_RULES: readonly unknown[] = ['off', 'optional', 'required'];

/** The most days for which people of a role that demands a factor may do without. */
export const MOST_GRACE_DAYS = defineLimit(
  365,
  'Accounts',
  'days that a role allows for adding a second factor',
  'field_invalid',
);
