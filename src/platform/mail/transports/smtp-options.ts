import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import { ConfigError } from '../../config/config.public.js';

/** Timeouts of the SMTP conversation, in milliseconds. Together they are below the timeout of one attempt. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
/** Timeout of one attempt, in milliseconds. */
export const SEND_TIMEOUT_MS = 60_000;
/** Options that `MAIL_URL` may have after a question mark, each `true` or `false`. */
const SWITCHES = ['requireTLS', 'ignoreTLS', 'tls.rejectUnauthorized'];

/**
 * Parses `MAIL_URL`: `smtp://user:pass@host:port` (STARTTLS if the server offers it) or `smtps://…` (TLS from the start). Options:
 *
 * - `?requireTLS=true` requires STARTTLS;
 * - `?ignoreTLS=true` does not use it;
 * - `?tls.rejectUnauthorized=false` accepts any certificate.
 *
 * @throws ConfigError without the address, which contains a password.
 */
export function smtpOptions(mailUrl: string): SMTPTransport.Options {
  const url = new URL(mailUrl);
  const host = decode(url.hostname).replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new ConfigError(['MAIL_URL must contain a host']);
  const user = decode(url.username);
  const switches = readSwitches(url.searchParams);
  const rejectUnauthorized = switches['tls.rejectUnauthorized'];
  return {
    host,
    port: url.port === '' ? undefined : Number(url.port),
    secure: url.protocol === 'smtps:',
    auth: user === '' ? undefined : { user, pass: decode(url.password) },
    requireTLS: switches['requireTLS'],
    ignoreTLS: switches['ignoreTLS'],
    ...(rejectUnauthorized === undefined ? {} : { tls: { rejectUnauthorized } }),
    ...TIMEOUTS,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigError(['MAIL_URL must have % in user name, password and host written as %25']);
  }
}

function readSwitches(parameters: URLSearchParams): Partial<Record<string, boolean>> {
  const entries = [...parameters].map(([name, value]): [string, boolean] => {
    if (!SWITCHES.includes(name) || (value !== 'true' && value !== 'false')) {
      throw new ConfigError([`MAIL_URL supports only the options ${SWITCHES.join(', ')}, each true or false`]);
    }
    return [name, value === 'true'];
  });
  return Object.fromEntries(entries);
}
