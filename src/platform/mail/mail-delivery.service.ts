import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../kernel/clock.port.js';
import { KeyRing } from '../../kernel/keys/key-ring.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { RunsJob } from '../jobs/job.decorators.js';
import { type Job, JobFault } from '../jobs/jobs.public.js';
import { readDeliveryFault } from './transports/delivery-fault.js';
import { type MailContent, MailSeal, type SealedMail, SEND_MAIL } from './outbox-mailer.service.js';
import { defineCounter } from '../../kernel/metrics.js';
import { MailTemplates } from './rendering/mail-templates.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import { displayName, mailContext } from './mail-context.js';
import { MailTransport } from './transports/mail-transport.port.js';
import { SEND_TIMEOUT_MS } from './transports/smtp-options.js';

/** Results of one attempt to send a mail. All but `retried` are final. */
type MailOutcome = (typeof OUTCOMES)[number];
const OUTCOMES = ['sent', 'retried', 'refused', 'expired', 'given_up', 'unreadable'] as const;

const MAILS = defineCounter({
  name: 'lintel_mails_total',
  help: 'Attempts to send a mail, by template and outcome.',
  labels: { template: [], outcome: OUTCOMES },
});

@Injectable()
export class MailDelivery implements OnApplicationBootstrap {
  private readonly logger = new Logger('Mail');
  private readonly sealer;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly templates: MailTemplates,
    private readonly transport: MailTransport,
    private readonly clock: Clock,
    ring: KeyRing,
  ) {
    this.sealer = new MailSeal(ring);
    MAILS.allow('template', templates.names());
  }

  onApplicationBootstrap(): void {
    if (this.config.mail.delivery === 'off')
      this.logger.warn(
        'MAIL_URL is not set, so mail is disabled. Password recovery and e-mail address changes require mail.',
      );
  }

  /** @throws JobFault if it was not sent. The message contains neither the content nor the recipient. */
  @RunsJob(SEND_MAIL)
  async deliver(job: Job<SealedMail>): Promise<void> {
    if (this.config.mail.delivery === 'off') throw new JobFault('MAIL_URL is not set', { logged: true });
    if (job.expiresAt !== null && job.expiresAt.getTime() <= this.clock.nowMs())
      throw this.fail(job, 'expired', 'its link or code has expired');
    const content = this.sealer.open(job.id, job.payload);
    if (content === null) throw this.unreadable(job);
    const mailbox = parseEmailAddress(job.payload.recipient);
    if (mailbox === null) throw this.fail(job, 'refused', 'the address is not one plain mailbox');
    try {
      await this.send(job, content, mailbox.ascii);
    } catch (error) {
      throw this.faultOf(job, error);
    }
    countMail(job.payload.template, 'sent');
  }

  /** @throws TimeLimitError, and errors of the transport. */
  private async send({ id, payload, expiresAt }: Job<SealedMail>, content: MailContent, email: string): Promise<void> {
    const { template } = payload;
    const { name, variables } = content;
    const { appName, appUrl, appLanguage, mail } = this.config;
    const remainingMs = expiresAt === null ? null : expiresAt.getTime() - this.clock.nowMs();
    const language = this.templates.languageOf(template, [content.language, appLanguage]) ?? appLanguage;
    const untrusted = this.templates.untrustedOf(template);
    const context = mailContext({ appName, appUrl, email, name, variables, untrusted, remainingMs, language });
    const sending = this.transport.send({
      messageId: `<${id}@${mail.from.address.split('@')[1] ?? 'localhost'}>`,
      template,
      from: mail.from,
      to: { name: displayName(name) ?? '', address: email },
      ...this.templates.render(template, context, language),
      date: this.clock.now(),
      // Suppresses out-of-office replies (RFC 3834 §5).
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      secrets: this.templates.secretsOf(template, context),
    });
    await withTimeLimit(SEND_TIMEOUT_MS, () => sending);
  }

  /** Retried, because another instance may have the key, or an operator may restore it. */
  private unreadable(job: Job<SealedMail>): JobFault {
    if (!this.sealer.isOfAnotherKey(job.payload)) return this.fail(job, 'unreadable', 'it was changed');
    const reason = 'it is encrypted with an unknown APP_KEY';
    return job.retryAt === null ? this.fail(job, 'unreadable', reason) : this.retried(job, reason);
  }

  private faultOf(job: Job<SealedMail>, error: unknown): JobFault {
    const { permanent, reason } = readDeliveryFault(error);
    if (permanent) return this.fail(job, 'refused', reason);
    if (job.retryAt === null) return this.fail(job, 'given_up', reason);
    return this.retried(job, reason);
  }

  private retried(job: Job<SealedMail>, reason: string): JobFault {
    countMail(job.payload.template, 'retried');
    this.logger.warn({ ...describe(job), reason, msg: 'A mail could not be sent. It will be retried.' });
    return new JobFault(reason, { logged: true });
  }

  private fail(job: Job<SealedMail>, outcome: MailOutcome, reason: string): JobFault {
    countMail(job.payload.template, outcome);
    this.logger.error({ ...describe(job), outcome, reason, msg: 'A mail failed permanently.' });
    return new JobFault(reason, { retry: false, logged: true });
  }
}

function describe({ id, payload, attempts, createdAt }: Job<SealedMail>): Record<string, unknown> {
  return { mail: id, template: payload.template, attempts, createdAt };
}

function countMail(template: string, outcome: MailOutcome): void {
  MAILS.inc({ template, outcome });
}
