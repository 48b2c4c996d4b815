import { defineKeyPurpose } from '../../kernel/keys/key-derivation.js';
import type { KeyRing, RingCipher } from '../../kernel/keys/key-ring.js';
import { defineJob } from '../jobs/jobs.public.js';
import type { StoredSecrets } from '../keys/key-rotation.service.js';

/** Holds the payload of a job that sends a mail. */
export interface SealedMail {
  readonly template: string;
  /** The mailbox, in the form that goes on the wire. */
  readonly recipient: string;
  /** Name and variables, sealed: they hold links and codes. */
  readonly sealedContent: string;
}

/** Holds the content that is sealed in a {@link SealedMail}. */
export interface MailContent {
  readonly name: string | null;
  /** Left out by who knew of no languages yet. */
  readonly language?: string | null;
  readonly variables: object;
}

/** A mail whose template is named. */
interface NamedMail {
  readonly template: string;
  readonly to: string;
  readonly name?: string | null;
  readonly language?: string | null;
  readonly variables: object;
}

/**
 * Sends one mail, each on a connection of its own to the mail server. One that was given up is there for another try as long as
 * whatever has expired is kept, a day; its link and code go with the row.
 */
export const SEND_MAIL = defineJob<SealedMail>('mail.send', { concurrency: 5, keepFailedMs: 1_000 });

const OUTBOX_KEY = defineKeyPurpose('mail-outbox', 'survives');

/** Seals what mails say, each for one job. */
export class MailSeal {
  private readonly cipher: RingCipher;

  constructor(ring: KeyRing) {
    this.cipher = ring.cipher(OUTBOX_KEY);
  }

  /** Seals a mail for the job of this id. */
  seal(id: string, { template, to, name, language, variables }: NamedMail): SealedMail {
    const content: MailContent = { name: name ?? null, language: language ?? null, variables };
    return { template, recipient: to, sealedContent: this.cipher.seal(label(id, template, to), content) };
  }

  /** Opens the mail of a job; null if it was sealed by a key that is not there, or changed. */
  open(id: string, { template, recipient, sealedContent }: SealedMail): MailContent | null {
    return this.cipher.open(label(id, template, recipient), sealedContent) as MailContent | null;
  }

  /** Returns whether the mail of a job was sealed by a key that is not there. */
  isOfAnotherKey({ sealedContent }: SealedMail): boolean {
    return this.cipher.isOfAnotherKey(sealedContent);
  }
}

/** The mails that wait: a change of key loses none of them. */
export const OWED_MAILS: StoredSecrets<{ readonly template: string; readonly recipient: string }> = {
  name: 'mail.outbox',
  purpose: OUTBOX_KEY,
  table: 'background_jobs',
  where: `kind = '${SEND_MAIL.name}'`,
  sealed: "payload ->> 'sealedContent'",
  assignment: "payload = jsonb_set(payload, '{sealedContent}', to_jsonb($2::text))",
  columns: "payload ->> 'template' AS template, payload ->> 'recipient' AS recipient",
  label: ({ id, template, recipient }) => label(id, template, recipient),
};

function label(id: string, template: string, recipient: string): string {
  return [id, template, recipient].join('\n');
}
