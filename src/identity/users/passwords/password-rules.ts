import { createRequire } from 'node:module';
import {
  allOf,
  characterCount,
  type FieldCheck,
  requiredSecret,
  withConstraints,
} from '../../../platform/http/input/field.decorator.js';

/** Length in characters. */
export const PASSWORD_LENGTH = { min: 8, max: 256 } as const;

type LanguageCommon = typeof import('@zxcvbn-ts/language-common');

let common: ReadonlySet<string> | undefined;

const choosable: FieldCheck = (value) => {
  const password = value as string;
  // A text never has more code points than code units, so most texts need no counting.
  if (password.length < PASSWORD_LENGTH.min || characterCount(password) < PASSWORD_LENGTH.min) {
    return { code: 'password_too_short', message: `must have at least ${PASSWORD_LENGTH.min} characters` };
  }
  if (password.length > PASSWORD_LENGTH.max && characterCount(password) > PASSWORD_LENGTH.max) {
    return { code: 'password_too_long', message: `must have at most ${PASSWORD_LENGTH.max} characters` };
  }
  return commonPasswords().has(password.toLowerCase())
    ? { code: 'password_too_common', message: 'is among the most common passwords' }
    : null;
};

/** Checks the length and a list of common passwords. All characters are allowed. */
export const newPassword: FieldCheck = allOf(
  requiredSecret,
  withConstraints({ minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max, format: 'password' }, choosable),
);

/** Loads the list on first use: the start and most commands do not need it. */
function commonPasswords(): ReadonlySet<string> {
  if (common === undefined) {
    const library = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as LanguageCommon;
    common = new Set(library.dictionary['passwords-common'].map(String));
  }
  return common;
}
