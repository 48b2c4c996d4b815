import { foldCase } from '../../kernel/text/comparable-text.js';
import {
  allOf,
  type FieldCheck,
  optionalText,
  requiredText,
  withConstraints,
} from '../../platform/http/input/field.decorator.js';
import { defineLimit } from '../../kernel/limits.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';

/** Letters, marks and digits of any script, with . _ - inside. Names that look like an address or a path are excluded. */
const USERNAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}])?$/u;
/** Invisible letters and marks (fillers, joiners, variation selectors). With one of them, two names could look the same. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
export const USERNAME_MAX = defineLimit(60, 'Accounts', 'characters of a username', 'validation_failed');

/** An optional username. It cannot look like an e-mail address. */
export const optionalUsername: FieldCheck = allOf(optionalText(USERNAME_MAX), (value) => {
  if (value === undefined || value === null) return null;
  const username = value as string;
  if (USERNAME.test(username) && !INVISIBLE.test(username) && username.normalize('NFKC') === username) return null;
  return {
    code: 'username_invalid',
    message: 'can contain letters, digits, ".", "_" and "-" only, and must not look like an e-mail address',
  };
});

/** Compares usernames without regard to case. Compatible spellings (full-width, ligatures) are rejected earlier. */
export function usernameKey(username: string): string {
  return foldCase(username);
}

export const requiredEmail: FieldCheck = allOf(
  requiredText(320),
  withConstraints({ format: 'email' }, (value) =>
    parseEmailAddress(value as string) === null
      ? { code: 'email_invalid', message: 'must be one e-mail address' }
      : null,
  ),
);
