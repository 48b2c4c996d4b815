import type { Texts } from '../texts/en/en.js';
import { texts } from '../texts/texts.js';

/** Sentence that a person is told about an error value, and the input it belongs to if a form has it. */
export interface Sentence {
  text: string;
  /** Names of inputs, the first one that the form has is meant. */
  fields?: string[];
}

const ADDRESS = ['email', 'new_email'];

/** The inputs that an error value (`data.error`) belongs to. */
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

/** Texts of errors that only some pages load, in the order in which they are searched. */
const OF_SOME_PAGES = ['consoleErrors', 'accountErrors', 'factorErrors', 'registrationErrors', 'setupErrors'] as const;

type LoadedTexts = Texts & { [Name in (typeof OF_SOME_PAGES)[number]]?: Table };

/** Returns the text of an error code, or `undefined` if the loaded texts do not have it. */
export function errorSentence(code: string): Sentence | undefined {
  const loaded = texts() as LoadedTexts;
  const tables: (Table | undefined)[] = [loaded.errors, ...OF_SOME_PAGES.map((name) => loaded[name])];
  const text = tables.map((table) => table && known(table, code)).find((one) => one !== undefined);
  return text === undefined ? undefined : { text, ...(INPUTS[code] && { fields: INPUTS[code] }) };
}

/** Returns what is said of the `code` of one field fault; the service's own message stands in for the rest. */
export function fieldSentence(code: string): string | undefined {
  const { fieldErrors, registrationErrors = {} } = texts() as LoadedTexts;
  return known(fieldErrors, code) ?? known(registrationErrors, code);
}

/** Returns what is said where a browser was sent here with an error value; what the texts do not know is never shown. */
export function callbackSentence(code: string): string {
  return errorSentence(code)?.text ?? texts().otherErrors.signInFailed;
}

/** Returns how a form says that the password was not the present one, at its input. */
export function wrongPassword(): { invalid_credentials: Sentence } {
  return { invalid_credentials: { text: texts().otherErrors.notCurrentPassword, fields: ['current_password'] } };
}

function known(table: Table, code: string): string | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
