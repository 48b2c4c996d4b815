import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { Clock } from '../../kernel/clock.port.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import { displayName, mailContext } from './mail-context.js';
import { MailTemplates } from './rendering/mail-templates.js';
import { MailTransport } from './transports/mail-transport.port.js';
import type { Job } from '../jobs/jobs.public.js';
import type { MailContent, SealedMail } from './outgoing-mail.js';
import { SEND_TIMEOUT_MS } from './transports/smtp-options.js';

export class RecipientError extends Error {}

@Injectable()
export class MailSender {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly templates: MailTemplates,
    private readonly transport: MailTransport,
    private readonly clock: Clock,
  ) {}

  /** @throws RecipientError for anything but one plain mailbox; TimeLimitError; errors of the transport. */
  async send({ id, payload, expiresAt }: Job<SealedMail>, { name, language, variables }: MailContent): Promise<void> {
    const { template, recipient } = payload;
    const mailbox = parseEmailAddress(recipient);
    if (mailbox === null) throw new RecipientError('the address is not one plain mailbox');
    const { appName, appUrl, appLanguage, mail } = this.config;
    const remainingMs = expiresAt === null ? null : expiresAt.getTime() - this.clock.nowMs();
    const spoken = this.templates.languageOf(template, [language, appLanguage]) ?? appLanguage;
    const untrusted = this.templates.untrustedOf(template);
    const parts = { appName, appUrl, email: mailbox.ascii, name, variables, untrusted, remainingMs, language: spoken };
    const context = mailContext(parts);
    const sending = this.transport.send({
      messageId: `<${id}@${mail.from.address.split('@')[1] ?? 'localhost'}>`,
      template,
      from: mail.from,
      to: { name: displayName(name) ?? '', address: mailbox.ascii },
      ...this.templates.render(template, context, spoken),
      date: this.clock.now(),
      // Suppresses out-of-office replies (RFC 3834 §5).
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      secrets: this.templates.secretsOf(template, context),
    });
    await withTimeLimit(SEND_TIMEOUT_MS, sending);
  }
}
