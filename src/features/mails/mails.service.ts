import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/keys/random.js';
import { actorOf, defineAuditActions } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { Field, optionalChoice, optionalCursor } from '../../platform/http/input/field.decorator.js';
import { TIME_OR_NULL } from '../../platform/http/output/documentation.decorators.js';
import { RateLimiter } from '../../platform/http/rate-limit/rate-limiter.service.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { Mailer } from '../../platform/mail/mailer.port.js';
import { SEND_MAIL, type SealedMail } from '../../platform/mail/outbox-mailer.service.js';

const ACTIONS = defineAuditActions('Mails', {
  'mail.retry': 'A mail was retried manually.',
  'mail.test': 'A test mail was requested.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

export const MAIL_STATES = ['pending', 'failed'] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** A pending or failed mail, without its content. */
export class ListedMail {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({
    enum: MAIL_STATES,
    description: '`failed`: all attempts failed. Failed mails are deleted after a day.',
  })
  readonly state: MailState;
  @ApiProperty() readonly template: string;
  @ApiProperty() readonly recipient: string;
  @ApiProperty({ type: 'integer' }) readonly attempts: number;
  @ApiProperty({ type: String, nullable: true, description: 'Error of the last attempt.' })
  readonly fault: string | null;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ ...TIME_OR_NULL, description: 'Time of the next attempt.' })
  readonly due_at: string | null;
}

/** Mail transport: a custom one of the application, a mail server, files in the data directory, or none because `MAIL_URL` is not set. */
const DELIVERIES = ['own', 'smtp', 'capture', 'off'] as const;

/** A page of mails, newest first. */
export class MailPage {
  @ApiProperty({
    enum: DELIVERIES,
    description:
      'Where mails are sent: `smtp` a mail server, `own` a transport of the application, `capture` files under `$DATA_DIR/mail`, `off` nowhere.',
  })
  readonly delivery: (typeof DELIVERIES)[number];
  @ApiProperty({ type: [ListedMail] }) readonly items: readonly ListedMail[];
  @ApiProperty({ type: String, nullable: true }) readonly next_cursor: string | null;
}

/** Query of the list of mails. */
export class MailQuery {
  @Field(optionalChoice(MAIL_STATES)) state?: string;
  @Field(optionalCursor) cursor?: string;
}

const PAGE = 50;

@Injectable()
export class MailsService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly jobs: Jobs,
    private readonly audit: AuditTrail,
    private readonly mailer: Mailer,
    private readonly limiter: RateLimiter,
  ) {}

  async list({ state, cursor }: MailQuery): Promise<MailPage> {
    const found = await this.jobs.list<SealedMail>(this.dataSource.manager, SEND_MAIL, {
      state: state === undefined ? null : state === 'pending' ? 'due' : 'failed',
      before: cursor ?? null,
      limit: PAGE + 1,
    });
    const items = found
      .slice(0, PAGE)
      .map(({ id, payload, state: is, attempts, fault, createdAt, dueAt }): ListedMail => ({
        id,
        state: is === 'due' ? 'pending' : 'failed',
        template: payload.template,
        recipient: payload.recipient,
        attempts,
        fault,
        created_at: createdAt.toISOString(),
        due_at: is === 'due' ? dueAt.toISOString() : null,
      }));
    const next = found.length > PAGE ? (items.at(-1)?.id ?? null) : null;
    return { items, next_cursor: next, delivery: this.config.mail.delivery };
  }

  /**
   * Retries a mail immediately, as if it were new. A mail that is being sent is not affected.
   *
   * @throws AppError `mail_not_found`
   */
  async retry(id: string, principal: Principal, origin: RequestOrigin): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      if (!isUuid(id) || !(await this.jobs.retry(manager, SEND_MAIL, id))) throw new AppError('mail_not_found');
      const resource = `mail:${id}`;
      await this.audit.write(manager, { action: 'mail.retry', actor: actorOf(principal), resource, origin });
    });
  }

  /**
   * Enqueues a test mail like any other mail.
   *
   * @param language of the caller; null for the default language.
   * @throws AppError `mail_off` if mail is disabled, `rate_limited`
   */
  async test(email: string, language: string | null, principal: Principal, origin: RequestOrigin): Promise<void> {
    if (this.config.mail.delivery === 'off') throw new AppError('mail_off');
    const to = parseEmailAddress(email)?.ascii;
    if (to === undefined) throw new TypeError('A test mail must have exactly one recipient.');
    await this.limiter.consume('testMails', principal.kind === 'account' ? principal.userId : (origin.address ?? ''));
    await this.dataSource.transaction(async (manager) => {
      await this.mailer.enqueue(manager, { template: 'test', to, language, variables: {} });
      await this.audit.write(manager, { action: 'mail.test', actor: actorOf(principal), resource: 'mails', origin });
    });
  }
}
