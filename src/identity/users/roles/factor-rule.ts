import { defineLimit } from '../../../kernel/limits.js';

/** Whether users of a role have no second factor, may have one, or must have one. */
export const FACTOR_RULES: readonly unknown[] = ['off', 'optional', 'required'];

export const MOST_GRACE_DAYS = defineLimit(
  365,
  'Accounts',
  'days that a role allows for adding a second factor',
  'field_invalid',
);
