import { LANGUAGES } from '../../kernel/text/language.js';

/** Holds the variables of a template: one line of text each. */
export type MailContext = Readonly<Record<string, string>>;

/** Holds the parts of a context. */
export interface ContextParts {
  readonly appName: string;
  readonly appUrl: string;
  readonly email: string;
  readonly name?: string | null;
  readonly variables: object;
  /** Language of the mail. */
  readonly language?: string;
  /** Names of the variables whose text a user chose. */
  readonly untrusted?: ReadonlySet<string>;
  /** Milliseconds until the link or code ends, at the moment of sending; null if nothing ends. */
  readonly remainingMs: number | null;
}

const MINUTE_MS = 60_000;
const NONE: ReadonlySet<string> = new Set();
/** @internal */
const LONGEST_NAME = 60;
/** Texts that mail programs turn into a link, or that look like an address: addresses of pages and mailboxes, names of hosts. */
const LOOKS_LIKE_ADDRESS = /:\/\/|www\.|@|[^\s.]\.[^\s.\d]{2,}/iu;
/** Characters without which no mail program finds an address. The ideographic full stop separates the parts of a host name too. */
const SEPARATORS = /[.:/@\u3002\uff61]/gu;

/**
 * Returns the variables of one mail. Every value is one line without control characters, so that none can add a header or a paragraph
 * of its own; escaping in HTML is up to the renderer.
 */
export function mailContext({
  variables,
  remainingMs,
  name,
  language = LANGUAGES[0],
  untrusted = NONE,
  ...common
}: ContextParts): MailContext {
  const minutes = remainingMs === null ? null : Math.max(1, Math.ceil(remainingMs / MINUTE_MS));
  const ending = minutes === null ? {} : { expiresInMinutes: minutes, validity: validityText(minutes, language) };
  const person = displayName(name);
  const all = { ...common, ...(person === null ? {} : { name: person }), ...variables, ...ending };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([key, value]) => [key, untrusted.has(key) ? withoutLinks(String(value)) : oneLine(String(value))]),
  );
}

/**
 * Returns the name by which a mail greets somebody, or null. Anybody can register somebody else's address under any name, so one that
 * would show up as a link or that is as long as a message is not repeated.
 */
export function displayName(name: string | null | undefined): string | null {
  const line = oneLine((name ?? '').normalize('NFC'));
  return line === '' || line.length > LONGEST_NAME || looksLikeAddress(line) ? null : line;
}

/** Returns the text in one line, with spaces around the separators of an address, so that mail programs make no link of it. */
export function withoutLinks(text: string): string {
  const line = oneLine(text);
  return looksLikeAddress(line) ? oneLine(line.normalize('NFKC').replace(SEPARATORS, ' $& ')) : line;
}

/** Compatibility forms are compared too: browsers read a fullwidth full stop as a full stop (UTS #46). */
function looksLikeAddress(line: string): boolean {
  return LOOKS_LIKE_ADDRESS.test(line.normalize('NFKC').replace(/[\u3002\uff61]/g, '.'));
}

/** Returns the text in one line: control and invisible characters (but the joiners of some scripts) become a space, runs of blanks one. */
export function oneLine(text: string): string {
  return text.replace(/(?:[\p{Cc}\p{Zl}\p{Zp}\s]|(?![\u200c\u200d])\p{Cf})+/gu, ' ').trim();
}

/** Returns a number of minutes in words: `5 minutes`, `1 hour`, `24 hours`, `3 days`. Parts of the larger unit are left out. */
export function validityText(minutes: number, language: string = LANGUAGES[0]): string {
  const { unit, size } = UNITS.find(({ isFor }) => isFor(minutes)) ?? { unit: 'minute', size: 1 };
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.floor(minutes / size));
}

const UNITS: readonly { readonly unit: string; readonly size: number; readonly isFor: (minutes: number) => boolean }[] =
  [
    { unit: 'day', size: 1_440, isFor: (minutes) => minutes >= 2_880 },
    { unit: 'hour', size: 60, isFor: (minutes) => minutes >= 120 || minutes === 60 },
  ];
