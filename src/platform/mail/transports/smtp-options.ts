import type { MailerOptions } from '@nestjs-modules/mailer';
import { ConfigError } from '../../config/config.public.js';

/** Describes the connection to the mail server in nodemailer's words. */
export interface SmtpOptions {
  readonly host: string;
  readonly port: number | undefined;
  readonly secure: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
  readonly requireTLS?: boolean;
  readonly ignoreTLS?: boolean;
  readonly tls?: { readonly rejectUnauthorized: boolean };
  readonly connectionTimeout: number;
  readonly greetingTimeout: number;
  readonly socketTimeout: number;
}

/** Bounds of a conversation with the mail server, each in milliseconds. Together they stay below the lease of a mail. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
/** Bound of one whole attempt, in milliseconds. */
export const SEND_TIMEOUT_MS = 60_000;
/** Switches that `MAIL_URL` may have after a question mark, each `true` or `false`. */
const SWITCHES = ['requireTLS', 'ignoreTLS', 'tls.rejectUnauthorized'];

/**
 * Reads `MAIL_URL`: `smtp://user:pass@host:port` (STARTTLS where the server offers it) or `smtps://…` (TLS from the start).
 * `?requireTLS=true` refuses to go on without STARTTLS, `?ignoreTLS=true` does without, `?tls.rejectUnauthorized=false`
 * takes any certificate.
 *
 * @throws ConfigError that does not show the address, which holds a password.
 */
export function smtpOptions(mailUrl: string): SmtpOptions & MailerOptions['transport'] {
  const url = new URL(mailUrl);
  const host = decode(url.hostname).replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new ConfigError(['MAIL_URL must name a host']);
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
    throw new ConfigError(['MAIL_URL must have a % in user name, password and host written as %25']);
  }
}

function readSwitches(parameters: URLSearchParams): Partial<Record<string, boolean>> {
  const entries = [...parameters].map(([name, value]): [string, boolean] => {
    if (!SWITCHES.includes(name) || (value !== 'true' && value !== 'false')) {
      throw new ConfigError([`MAIL_URL must have no options but ${SWITCHES.join(', ')}, each true or false`]);
    }
    return [name, value === 'true'];
  });
  return Object.fromEntries(entries);
}
