import { LANGUAGES } from '../../kernel/text/language.js';

export type MailContext = Readonly<Record<string, string>>;

export interface ContextParts {
  readonly appName: string;
  readonly appUrl: string;
  readonly email: string;
  readonly name?: string | null;
  readonly variables: object;
  readonly language?: string;
  readonly untrusted?: ReadonlySet<string>;
  /** Milliseconds until the link or code expires, at the time of sending; null if nothing expires. */
  readonly remainingMs: number | null;
}

const MINUTE_MS = 60_000;
const NONE: ReadonlySet<string> = new Set();
/** @internal */
const MAX_NAME_LENGTH = 60;
/** Text that mail programs turn into a link, or that looks like an address: URLs, e-mail addresses and host names. */
const LOOKS_LIKE_ADDRESS = /:\/\/|www\.|@|[^\s.]\.[^\s.\d]{2,}/iu;
/** Characters that mail programs need to detect an address. The ideographic full stop also separates the parts of a host name. */
const SEPARATORS = /[.:/@\u3002\uff61]/gu;

/** Every value is one line without control characters, so it cannot add a header or a paragraph. The renderer escapes HTML. */
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
 * Returns the name for the greeting of a mail, or null. Anybody can register another person's address under any name. So a name that looks
 * like an address or is too long is not used.
 */
export function displayName(name: string | null | undefined): string | null {
  const line = oneLine((name ?? '').normalize('NFC'));
  return line === '' || line.length > MAX_NAME_LENGTH || looksLikeAddress(line) ? null : line;
}

/** Returns the text in one line, with spaces around the separators of an address, so that mail programs create no link. */
export function withoutLinks(text: string): string {
  const line = oneLine(text);
  return looksLikeAddress(line) ? oneLine(line.normalize('NFKC').replace(SEPARATORS, ' $& ')) : line;
}

/** Also checks compatibility forms, because browsers read a fullwidth full stop as a full stop (UTS #46). */
function looksLikeAddress(line: string): boolean {
  return LOOKS_LIKE_ADDRESS.test(line.normalize('NFKC').replace(/[\u3002\uff61]/g, '.'));
}

/** Replaces control and invisible characters (except the joiners of some scripts) by a space, and collapses spaces. */
export function oneLine(text: string): string {
  return text.replace(/(?:[\p{Cc}\p{Zl}\p{Zp}\s]|(?![\u200c\u200d])\p{Cf})+/gu, ' ').trim();
}

/** Formats a number of minutes: `5 minutes`, `1 hour`, `24 hours`, `3 days`. The remainder of the unit is dropped. */
export function validityText(minutes: number, language: string = LANGUAGES[0]): string {
  const isHours = minutes >= 120 || minutes === 60;
  const [unit, size]: [string, number] = minutes >= 2_880 ? ['day', 1_440] : isHours ? ['hour', 60] : ['minute', 1];
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.floor(minutes / size));
}
