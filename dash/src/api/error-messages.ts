import type { Texts } from '../texts/en/en.js';
import { texts } from '../texts/texts.js';

/** Message of an error and, in forms, the input that shows it. */
export interface ErrorMessage {
  text: string;
  /** Input names. The first one that exists in the form is used. */
  fields?: string[];
}

const ADDRESS = ['email', 'new_email'];

/** Inputs of the error codes (`data.error`). */
const INPUTS: Readonly<Record<string, string[]>> = {
  otp_invalid: ['code'],
  password_too_short: ['password'],
  password_too_long: ['password'],
  password_too_common: ['password'],
  password_mismatch: ['password_confirmation'],
  email_taken: ADDRESS,
  email_unchanged: ['new_email'],
  email_invalid: ADDRESS,
  email_domain_not_allowed: ADDRESS,
  email_domain_blocked: ADDRESS,
  username_taken: ['username'],
  username_reserved: ['username'],
  username_invalid: ['username'],
  setup_token_invalid: ['token'],
};

type Table = Readonly<Record<string, string>>;

/** Error texts that only some pages load, in search order. */
const OF_SOME_PAGES = ['consoleErrors', 'accountErrors', 'factorErrors', 'registrationErrors', 'setupErrors'] as const;

type LoadedTexts = Texts & { [Name in (typeof OF_SOME_PAGES)[number]]?: Table };

/** Returns the text of an error code, or `undefined` if the loaded texts do not contain it. */
export function errorMessage(code: string): ErrorMessage | undefined {
  const loaded = texts() as LoadedTexts;
  const tables: (Table | undefined)[] = [loaded.errors, ...OF_SOME_PAGES.map((name) => loaded[name])];
  const text = tables.map((table) => table && findMessage(table, code)).find((item) => item !== undefined);
  return text === undefined ? undefined : { text, ...(INPUTS[code] && { fields: INPUTS[code] }) };
}

/** Returns the text of a field error code. The service's message is used for unknown codes. */
export function fieldMessage(code: string): string | undefined {
  const { fieldErrors, registrationErrors = {} } = texts() as LoadedTexts;
  return findMessage(fieldErrors, code) ?? findMessage(registrationErrors, code);
}

/** Returns the text for an error code in the URL. Unknown codes are never displayed. */
export function callbackMessage(code: string): string {
  return errorMessage(code)?.text ?? texts().otherErrors.signInFailed;
}

/** Returns the wording for a wrong current password. */
export function wrongPassword(): { invalid_credentials: ErrorMessage } {
  return { invalid_credentials: { text: texts().otherErrors.notCurrentPassword, fields: ['current_password'] } };
}

function findMessage(table: Table, code: string): string | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
