import { Inject, Injectable } from '@nestjs/common';
import { MailerService } from '@nestjs-modules/mailer';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { Clock } from '../../kernel/clock.port.js';
import { parseEmailAddress } from '../../kernel/email-address.js';
import { displayName, mailContext } from './mail-context.js';
import type { Job } from '../jobs/jobs.public.js';
import type { MailContent, SealedMail } from './outgoing-mail.js';

/** The address of a mail is not one mailbox. */
export class RecipientError extends Error {}

/** Composes a mail and hands it to the transport. */
@Injectable()
export class MailSender {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly mailer: MailerService,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends one mail. Addresses are objects, never text that somebody parses again.
   *
   * @throws RecipientError for anything but one plain mailbox; what nodemailer throws.
   */
  async send({ id, payload, expiresAt }: Job<SealedMail>, { name, variables }: MailContent): Promise<void> {
    const { template, recipient } = payload;
    const mailbox = parseEmailAddress(recipient);
    if (mailbox === null) throw new RecipientError('the address is not one plain mailbox');
    const { appName, appUrl, mail } = this.config;
    const remainingMs = expiresAt === null ? null : expiresAt.getTime() - this.clock.nowMs();
    await this.mailer.sendMail({
      from: { ...mail.from },
      to: { name: displayName(name) ?? '', address: mailbox.ascii },
      // The same for every attempt, so that a mail sent twice is recognised as one (RFC 5322 §3.6.4).
      messageId: `<${id}@${mail.from.address.split('@')[1] ?? 'localhost'}>`,
      date: this.clock.now(),
      // Out-of-office notes are not wanted (RFC 3834 §5).
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      template,
      context: mailContext({ appName, appUrl, email: mailbox.ascii, name, variables, remainingMs }),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
}
