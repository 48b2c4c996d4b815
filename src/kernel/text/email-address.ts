import { domainToASCII, domainToUnicode } from 'node:url';
import { defineLimit } from '../limits.js';

export interface EmailAddress {
  readonly address: string;
  /** The local part as written, and the domain in lower-case ASCII (punycode, RFC 5891). */
  readonly ascii: string;
  readonly domain: string;
  /** Key by which addresses are compared, in lower case. */
  readonly key: string;
}

const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_ADDRESS_LENGTH = defineLimit(254, 'Accounts', 'characters of an e-mail address');
const MAX_LOCAL_LENGTH = defineLimit(64, 'Accounts', 'characters of an e-mail address before the @');

/**
 * Parses one ASCII mailbox: the dot-atom of RFC 5322 §3.4.1, and a host name of at least two labels. Lists, comments, quoted parts,
 * zero-width and look-alike characters, trailing dots and line breaks are rejected.
 */
export function parseEmailAddress(text: string): EmailAddress | null {
  const at = text.indexOf('@');
  if (at < 1 || at !== text.lastIndexOf('@') || text.length > MAX_ADDRESS_LENGTH) return null;
  const local = text.slice(0, at);
  if (local.length > MAX_LOCAL_LENGTH || !LOCAL_PART.test(local)) return null;
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === null) return null;
  const ascii = `${local}@${domain}`;
  return ascii.length > MAX_ADDRESS_LENGTH ? null : { address: text, ascii, domain, key: ascii.toLowerCase() };
}

/** Returns null if the text is no host name, or if the conversion would change characters (full-width, ignorable). */
export function asciiDomain(written: string): string | null {
  const lower = written.toLowerCase();
  if (lower === '' || lower.normalize('NFKC') !== lower) return null;
  const ascii = domainToASCII(lower);
  if (ascii === '' || ascii.length > 253 || !isStable(lower, ascii)) return null;
  const labels = ascii.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  return /^\d+$/.test(labels[labels.length - 1] ?? '') ? null : ascii;
}

/** Returns whether the conversion is reversible, so that no character was mapped or dropped. */
function isStable(lower: string, ascii: string): boolean {
  return lower === ascii || domainToUnicode(ascii) === lower;
}
