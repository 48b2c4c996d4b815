import { domainToASCII, domainToUnicode } from 'node:url';
import { defineLimit } from '../limits.js';

/** One mailbox: as it was written, as it goes on the wire, and the form by which addresses are compared. */
export interface EmailAddress {
  /** As written, local part and domain untouched. */
  readonly address: string;
  /** The local part as written and the domain in lower-case ASCII (punycode, RFC 5891). */
  readonly ascii: string;
  /** The domain in lower-case ASCII. */
  readonly domain: string;
  /** The form by which two addresses are the same: all in lower case. */
  readonly key: string;
}

const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_ADDRESS_LENGTH = defineLimit(254, 'Accounts', 'characters of an e-mail address', 'validation_failed');
const MAX_LOCAL_LENGTH = defineLimit(
  64,
  'Accounts',
  'characters of an e-mail address before the @',
  'validation_failed',
);

/**
 * Parses one ASCII mailbox (the dot-atom of RFC 5322 §3.4.1 and a host name of at least two labels). Lists, comments,
 * quoted parts, zero-width and look-alike characters, trailing dots and line breaks are refused.
 *
 * @returns the mailbox, or null if the text is not exactly one.
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

/**
 * Turns a domain into lower-case ASCII, or answers null if it is no host name or where the conversion would silently
 * turn one character into another (full-width letters, ignorable characters).
 */
export function asciiDomain(written: string): string | null {
  const lower = written.toLowerCase();
  if (lower === '' || lower.normalize('NFKC') !== lower) return null;
  const ascii = domainToASCII(lower);
  if (ascii === '' || ascii.length > 253 || !isStable(lower, ascii)) return null;
  const labels = ascii.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  return /^\d+$/.test(labels[labels.length - 1] ?? '') ? null : ascii;
}

/** Returns whether the domain reads back as it was written: nothing was mapped or dropped on the way. */
function isStable(lower: string, ascii: string): boolean {
  return lower === ascii || domainToUnicode(ascii) === lower;
}
