import { Inject, Injectable } from '@nestjs/common';
import { MailRefused, MailTransport, type OutgoingMail } from 'lintel';
import { ACME, type AcmeSettings } from '../acme.variables.js';

const TIMEOUT_MS = 30_000;

/** Sends mails with Acme's mail service. Lintel provides outbox, retries and templates. */
@Injectable()
export class HttpMailTransport extends MailTransport {
  constructor(@Inject(ACME.token) private readonly settings: AcmeSettings) {
    super();
  }

  /** Sends a mail. The service uses the key to drop duplicates of retries. */
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
