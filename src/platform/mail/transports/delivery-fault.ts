import { MailRefused } from './mail-transport.port.js';

/** A failed delivery. It contains no content of the mail, so it can be logged. */
export interface DeliveryFault {
  /** Whether the recipient or the message was rejected permanently (RFC 5321 §4.2.1), so that a retry cannot help. */
  readonly permanent: boolean;
  readonly reason: string;
}

type SmtpError = Readonly<Record<'code' | 'command' | 'responseCode' | 'response' | 'message', unknown>>;

/** Rejections of the service's login, not of the mail. An operator can fix the login within a day. */
const SIGN_IN_REFUSALS = new Set([530, 534, 535, 538]);
/** Characters of a server response that are read. Longer than the logged text, so that no secret is cut in half. @internal */
const MAX_RESPONSE_LENGTH = 2_000;
/** @internal */
const MAX_REASON_LENGTH = 300;

/**
 * Classifies an error of a transport. {@link MailRefused} and 5xx responses to `RCPT TO` and `DATA` are permanent. Everything else may be
 * temporary: no connection, timeouts, login, sender, 4xx.
 */
export function readDeliveryFault(error: unknown): DeliveryFault {
  const { code, command, responseCode, response, message } = Object(error) as SmtpError;
  const status = typeof responseCode === 'number' ? responseCode : 0;
  const aboutTheMail = command === 'RCPT TO' || command === 'DATA';
  const text = [response, message].find((part) => typeof part === 'string' && part !== '');
  const parts = [code, command, withoutSecrets(typeof text === 'string' ? text : 'unknown error')];
  return {
    permanent:
      error instanceof MailRefused || (aboutTheMail && status >= 500 && status <= 599 && !SIGN_IN_REFUSALS.has(status)),
    reason: parts.filter((part) => typeof part === 'string' && part !== '').join(' · '),
  };
}

/**
 * Removes addresses and codes from a server response. A server may quote the mail ("blocked because of https://…", "<ann@example.com>: no
 * such user"). URLs, e-mail addresses, long words and runs of four or more digits are removed.
 */
function withoutSecrets(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, MAX_RESPONSE_LENGTH)
    .replace(/\S*(?::\/\/|%3a%2f%2f|token|code=)\S*/gi, '…')
    .replace(/(?:"[^"]*"|[^\s<>()[\],;:"]+)(?:@|%40)[^\s<>(),;:"]+/gi, '…')
    .replace(/[A-Za-z0-9_+/=-]{20,}/g, '…')
    .replace(/\d{4,}/g, '…')
    .slice(0, MAX_REASON_LENGTH)
    .trim();
}
