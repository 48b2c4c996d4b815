import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { deriveKey } from '../../kernel/key-derivation.js';
import { newId } from '../../kernel/random.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { Jobs } from '../jobs/jobs.service.js';
import { MAIL_TEMPLATES, TEMPLATE_NAMES } from './mail-template.table.js';
import { type Mail, Mailer, type MailTemplate } from './mailer.port.js';
import { MailSeal, SEND_MAIL, mailDeliveryMode } from './outgoing-mail.js';

/** Adds a job for each mail, in the caller's transaction. */
@Injectable()
export class OutboxMailer extends Mailer {
  private readonly off;
  private readonly sealer;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {
    super();
    this.off = mailDeliveryMode(config) === 'off';
    this.sealer = new MailSeal(deriveKey(config.appKey, 'mail-outbox'));
  }

  async enqueue<T extends MailTemplate>(manager: EntityManager, mail: Mail<T>): Promise<void> {
    // No retry would heal it, so it does not wait in the outbox.
    if (!Object.hasOwn(MAIL_TEMPLATES, mail.template))
      throw new TypeError(
        `There is no mail template ${JSON.stringify(mail.template)}; there are ${TEMPLATE_NAMES.join(', ')}.`,
      );
    if (this.off) return;
    const id = newId();
    await this.jobs.enqueue(manager, SEND_MAIL, this.sealer.seal(id, mail), { id, expiresAt: this.expiryOf(mail) });
  }

  private expiryOf({ variables }: Mail): Date | null {
    if (!('expiresInMinutes' in variables)) return null;
    return new Date(this.clock.nowMs() + variables.expiresInMinutes * 60_000);
  }
}
