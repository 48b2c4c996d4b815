import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../kernel/clock.port.js';
import { KeyRing } from '../../kernel/keys/key-ring.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { RunsJob } from '../jobs/job.decorators.js';
import { type Job, JobFault } from '../jobs/jobs.public.js';
import { readDeliveryFault } from './transports/delivery-fault.js';
import { MailSender, RecipientError } from './mail-sender.js';
import { MailSeal, SEND_MAIL, type SealedMail } from './outgoing-mail.js';
import { defineCounter } from '../../kernel/metrics.js';
import { MailTemplates } from './rendering/mail-templates.js';

/** Results of one attempt to send a mail. All but `retried` are final. */
type MailOutcome = (typeof OUTCOMES)[number];
const OUTCOMES = ['sent', 'retried', 'refused', 'expired', 'given_up', 'unreadable'] as const;

const MAILS = defineCounter({
  name: 'lintel_mails_total',
  help: 'Attempts to send a mail, by template and by what became of them.',
  labels: { template: [], outcome: OUTCOMES },
});

@Injectable()
export class MailDelivery implements OnApplicationBootstrap {
  private readonly logger = new Logger('Mail');
  private readonly off;
  private readonly sealer;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly sender: MailSender,
    private readonly clock: Clock,
    ring: KeyRing,
    templates: MailTemplates,
  ) {
    this.off = config.mail.delivery === 'off';
    this.sealer = new MailSeal(ring);
    MAILS.allow('template', templates.names());
  }

  onApplicationBootstrap(): void {
    if (this.off)
      this.logger.warn('MAIL_URL is not set: nothing is mailed. Recovery and changes of address need mail.');
  }

  /** @throws JobFault if it was not sent. The message contains neither the content nor the recipient. */
  @RunsJob(SEND_MAIL)
  async deliver(job: Job<SealedMail>): Promise<void> {
    if (this.off) throw new JobFault('MAIL_URL is not set', { logged: true });
    if (job.expiresAt !== null && job.expiresAt.getTime() <= this.clock.nowMs())
      throw this.giveUp(job, 'expired', 'what it offers has expired');
    const content = this.sealer.open(job.id, job.payload);
    if (content === null) throw this.unreadable(job);
    try {
      await this.sender.send(job, content);
    } catch (error) {
      throw this.faultOf(job, error);
    }
    countMail(job.payload.template, 'sent');
  }

  /** Retried, because another instance may have the key, or an operator may restore it. */
  private unreadable(job: Job<SealedMail>): JobFault {
    if (!this.sealer.isOfAnotherKey(job.payload)) return this.giveUp(job, 'unreadable', 'it was changed');
    const reason = 'it was sealed by an APP_KEY that is not there';
    return job.retryAt === null ? this.giveUp(job, 'unreadable', reason) : this.retried(job, reason);
  }

  private faultOf(job: Job<SealedMail>, error: unknown): JobFault {
    if (error instanceof RecipientError) return this.giveUp(job, 'refused', error.message);
    const { permanent, reason } = readDeliveryFault(error);
    if (permanent) return this.giveUp(job, 'refused', reason);
    if (job.retryAt === null) return this.giveUp(job, 'given_up', reason);
    return this.retried(job, reason);
  }

  private retried(job: Job<SealedMail>, reason: string): JobFault {
    countMail(job.payload.template, 'retried');
    this.logger.warn({ ...describe(job), reason, msg: 'A mail could not be sent; it is tried again.' });
    return new JobFault(reason, { logged: true });
  }

  private giveUp(job: Job<SealedMail>, outcome: MailOutcome, reason: string): JobFault {
    countMail(job.payload.template, outcome);
    this.logger.error({ ...describe(job), outcome, reason, msg: 'A mail was given up.' });
    return new JobFault(reason, { retry: false, logged: true });
  }
}

function describe({ id, payload, attempts, createdAt }: Job<SealedMail>): Record<string, unknown> {
  return { mail: id, template: payload.template, attempts, createdAt };
}

function countMail(template: string, outcome: MailOutcome): void {
  MAILS.inc({ template, outcome });
}
