import { Inject, Injectable } from '@nestjs/common';
import { MailRefused, MailTransport, type OutgoingMail } from 'lintel';
import { ACME, type AcmeSettings } from '../acme.variables.js';

const TIMEOUT_MS = 30_000;

/** Hands mails over to Acme's mail service. Outbox, tries and templates are Lintel's. */
@Injectable()
export class HttpMailTransport extends MailTransport {
  constructor(@Inject(ACME.token) private readonly settings: AcmeSettings) {
    super();
  }

  /** Sends a mail. The service knows a message by its key: one that was tried twice goes out once. */
  async send({ messageId, from, to, subject, html, text }: OutgoingMail): Promise<void> {
    const answer = await fetch(`${this.settings.ACME_MAIL_URL}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.settings.ACME_MAIL_KEY ?? ''}`,
        'content-type': 'application/json',
        'idempotency-key': messageId,
      },
      body: JSON.stringify({ from, to, subject, html, text }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.status === 422) throw new MailRefused('the service takes no mail to this address');
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
  }
}
