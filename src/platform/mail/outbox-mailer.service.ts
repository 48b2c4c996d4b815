import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { KeyRing, type RingCipher } from '../../kernel/keys/key-ring.js';
import { newId } from '../../kernel/keys/random.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { Jobs } from '../jobs/jobs.service.js';
import { MailTemplates } from './rendering/mail-templates.js';
import { type Mail, Mailer, type OwnMail } from './mailer.port.js';
import { defineKeyPurpose } from '../../kernel/keys/key-derivation.js';
import { defineJob } from '../jobs/jobs.public.js';
import type { StoredSecrets } from '../keys/key-rotation.service.js';

@Injectable()
export class OutboxMailer extends Mailer {
  private readonly off;
  private readonly sealer;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly templates: MailTemplates,
    ring: KeyRing,
  ) {
    super();
    this.off = config.mail.delivery === 'off';
    this.sealer = new MailSeal(ring);
  }

  async enqueue(manager: EntityManager, mail: Mail | OwnMail): Promise<void> {
    const { template, variables } = mail;
    this.templates.assertSendable(template, variables);
    if (this.off) return;
    const id = newId();
    const named = { ...mail, template: typeof template === 'string' ? template : template.name };
    await this.jobs.enqueue(manager, SEND_MAIL, this.sealer.seal(id, named), {
      id,
      expiresAt: this.expiryOf(variables),
    });
  }

  private expiryOf(variables: object): Date | null {
    const { expiresInMinutes } = variables as { readonly expiresInMinutes?: string | number };
    return expiresInMinutes === undefined ? null : new Date(this.clock.nowMs() + Number(expiresInMinutes) * 60_000);
  }
}

export interface SealedMail {
  readonly template: string;
  /** The mailbox, in the form of the SMTP envelope. */
  readonly recipient: string;
  /** Name and variables, encrypted, because they contain links and codes. */
  readonly sealedContent: string;
}

export interface MailContent {
  readonly name: string | null;
  /** Missing in mails of older versions. */
  readonly language?: string | null;
  readonly variables: object;
}

type NamedMail = Omit<Mail, 'template' | 'variables'> & { readonly template: string; readonly variables: object };

/**
 * Sends one mail on its own connection to the mail server. A failed mail can be retried until the sweep of expired rows deletes it, after a
 * day. Its link and code are deleted with the row.
 */
export const SEND_MAIL = defineJob<SealedMail>('mail.send', { concurrency: 5, keepFailedMs: 1_000 });

const OUTBOX_KEY = defineKeyPurpose('mail-outbox', 'survives');

export class MailSeal {
  private readonly cipher: RingCipher;

  constructor(ring: KeyRing) {
    this.cipher = ring.cipher(OUTBOX_KEY);
  }

  seal(id: string, { template, to, name, language, variables }: NamedMail): SealedMail {
    const content: MailContent = { name: name ?? null, language: language ?? null, variables };
    return { template, recipient: to, sealedContent: this.cipher.seal(label(id, template, to), content) };
  }

  /** Decrypts the mail of a job; null if the key is missing, or the content was changed. */
  open(id: string, { template, recipient, sealedContent }: SealedMail): MailContent | null {
    return this.cipher.open(label(id, template, recipient), sealedContent) as MailContent | null;
  }

  isOfAnotherKey({ sealedContent }: SealedMail): boolean {
    return this.cipher.isOfAnotherKey(sealedContent);
  }
}

export const PENDING_MAILS: StoredSecrets<{ readonly template: string; readonly recipient: string }> = {
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
