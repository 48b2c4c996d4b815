import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { KeyRing } from '../../kernel/keys/key-ring.js';
import { newId } from '../../kernel/keys/random.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { Jobs } from '../jobs/jobs.service.js';
import { MailTemplates } from './rendering/mail-templates.js';
import { type Mail, Mailer, type OwnMail } from './mailer.port.js';
import { MailSeal, SEND_MAIL } from './outgoing-mail.js';

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
