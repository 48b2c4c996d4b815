import { foldCase } from '../../kernel/text/comparable-text.js';
import { allOf, type FieldCheck, optionalText } from '../../platform/http/http.public.js';
import { defineLimit } from '../../kernel/limits.js';

/** Letters, marks and digits of any script, and . _ - inside: nothing that looks like an address or a path. */
const USERNAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}])?$/u;
/** Letters and marks that show nothing (fillers, joiners, variation selectors): with one, two names would look the same. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** Most characters of a username. */
export const USERNAME_MAX = defineLimit(60, 'Accounts', 'characters of a username', 'validation_failed');

/** A username that may be left out. It cannot look like an e-mail address (THREATS, "Accounts and passwords"). */
export const optionalUsername: FieldCheck = allOf(optionalText(USERNAME_MAX), (value) => {
  if (value === undefined || value === null) return null;
  const username = value as string;
  if (USERNAME.test(username) && !INVISIBLE.test(username) && username.normalize('NFKC') === username) return null;
  return {
    code: 'username_invalid',
    message: 'may have letters, digits, ".", "_" and "-" only, and not look like an address',
  };
});

/**
 * Returns the form by which usernames are compared: without regard to case. Compatible spellings (full-width, ligatures) are refused
 * before.
 */
export function usernameKey(username: string): string {
  return foldCase(username);
}
