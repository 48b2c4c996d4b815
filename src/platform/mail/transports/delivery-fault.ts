import { MailRefused } from './mail-transport.port.js';

/** Describes a failed delivery, fit for the log: nothing of the mail's content is in it. */
export interface DeliveryFault {
  /** The recipient or the message was refused for good (RFC 5321 §4.2.1): another try cannot help. */
  readonly permanent: boolean;
  /** One line for the operator. */
  readonly reason: string;
}

interface SmtpError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
  readonly message?: unknown;
}

/** Refusals that speak of how the service signs in, not of the mail: an operator can put that right within the day. */
const SIGN_IN_REFUSALS = new Set([530, 534, 535, 538]);
/** Of a longer answer the beginning is read, and less of it logged: what is cut must not be half a secret. @internal */
const LONGEST_ANSWER = 2_000;
/** @internal */
const LONGEST_REASON = 300;

/**
 * Reads what a transport threw. {@link MailRefused}, and refusals of the recipient (`RCPT TO`) and of the message (`DATA`) with a 5xx are permanent;
 * everything else (no connection, time-outs, sign-in, sender, 4xx) may go away.
 */
export function readDeliveryFault(error: unknown): DeliveryFault {
  const { code, command, responseCode, response, message } = (
    typeof error === 'object' && error !== null ? error : {}
  ) as SmtpError;
  const status = typeof responseCode === 'number' ? responseCode : 0;
  const aboutTheMail = command === 'RCPT TO' || command === 'DATA';
  const text = [response, message].find((part) => typeof part === 'string' && part !== '');
  const parts = [code, command, withoutSecrets(typeof text === 'string' ? text : 'unknown fault')];
  return {
    permanent:
      error instanceof MailRefused || (aboutTheMail && status >= 500 && status <= 599 && !SIGN_IN_REFUSALS.has(status)),
    reason: parts.filter((part) => typeof part === 'string' && part !== '').join(' · '),
  };
}

/**
 * Takes addresses and codes out of an answer. A server may quote the mail in its answer ("blocked because of https://…",
 * "<ann@example.com>: no such user"): addresses of pages and of people, long words and runs of four digits or more are taken out,
 * which leaves the status codes and the words.
 */
function withoutSecrets(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, LONGEST_ANSWER)
    .replace(/\S*(?::\/\/|%3a%2f%2f|token|code=)\S*/gi, '…')
    .replace(/(?:"[^"]*"|[^\s<>()[\],;:"]+)(?:@|%40)[^\s<>(),;:"]+/gi, '…')
    .replace(/[A-Za-z0-9_+/=-]{20,}/g, '…')
    .replace(/\d{4,}/g, '…')
    .slice(0, LONGEST_REASON)
    .trim();
}
