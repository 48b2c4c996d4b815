import type { KeyObject } from 'node:crypto';
import { ContentCipher } from '../../kernel/content-cipher.js';
import { defineJob } from '../jobs/jobs.public.js';
import type { Config } from '../config/config.types.js';

/** Holds the payload of a job that sends a mail. */
export interface SealedMail {
  readonly template: string;
  /** The mailbox, in the form that goes on the wire. */
  readonly recipient: string;
  /** Name and variables, sealed, as Base64: they hold links and codes. */
  readonly sealedContent: string;
}

/** Holds the content that is sealed in a {@link SealedMail}. */
export interface MailContent {
  readonly name: string | null;
  readonly variables: object;
}

/** A mail whose template is named. */
interface NamedMail {
  readonly template: string;
  readonly to: string;
  readonly name?: string | null;
  readonly variables: object;
}

/** Sends one mail, each on a connection of its own to the mail server. Its link and code go with the row. */
export const SEND_MAIL = defineJob<SealedMail>('mail.send', { concurrency: 5, keepFailedMs: 0 });

/** Seals what mails say, each for one job. */
export class MailSeal {
  private readonly cipher: ContentCipher;

  /** @param key derived for `mail-outbox`. */
  constructor(key: KeyObject) {
    this.cipher = new ContentCipher(key);
  }

  /** Seals a mail for the job of this id. */
  seal(id: string, { template, to, name, variables }: NamedMail): SealedMail {
    const content: MailContent = { name: name ?? null, variables };
    const sealed = this.cipher.seal(label(id, template, to), content);
    return { template, recipient: to, sealedContent: sealed.toString('base64') };
  }

  /** Opens the mail of a job; null if it was sealed by another key, or changed. */
  open(id: string, { template, recipient, sealedContent }: SealedMail): MailContent | null {
    const sealed = Buffer.from(sealedContent, 'base64');
    return this.cipher.open(label(id, template, recipient), sealed) as MailContent | null;
  }
}

function label(id: string, template: string, recipient: string): string {
  return [id, template, recipient].join('\n');
}

/**
 * Where mails go (CONTRACT §1): over SMTP with `MAIL_URL`; without it into files while developing, and nowhere in
 * production, where nobody would look for the files.
 */
type MailDeliveryMode = 'smtp' | 'capture' | 'off';

/** Returns how this configuration delivers mail. */
export function mailDeliveryMode({ mail, production }: Pick<Config, 'mail' | 'production'>): MailDeliveryMode {
  if (mail.url !== undefined) return 'smtp';
  return production ? 'off' : 'capture';
}
