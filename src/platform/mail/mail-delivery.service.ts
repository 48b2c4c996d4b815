import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/database.public.js';
import { Clock } from '../../kernel/clock.port.js';
import { readDeliveryFault } from './delivery-fault.js';
import { countMail, type MailOutcome } from './mail-metrics.js';
import { type ClaimedMail, MailOutbox } from './mail-outbox.js';
import { MailSender, RecipientError } from './mail-sender.js';
import { GIVE_UP_AFTER_MS, retryDelayMs } from './retry-policy.js';

/** How often it is tried to note that a mail is sent; together about as long as its claim holds. */
const BOOKING_TRIES = 15;
const BOOKING_PAUSE_MS = 500;

/** One attempt to send one mail, and what follows from it. */
@Injectable()
export class MailDelivery {
  private readonly logger = new Logger('Mail');

  constructor(
    private readonly outbox: MailOutbox,
    private readonly sender: MailSender,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the mail and removes its row; or puts it back for later; or gives it up.
   *
   * @throws what the database throws: then the mail comes back when its lease has passed.
   */
  async deliver(mail: ClaimedMail): Promise<void> {
    const { content, expiresAt } = mail;
    if (content === null) return this.giveUp(mail, 'unreadable', 'it was sealed by another APP_KEY');
    if (expiresAt !== null && expiresAt.getTime() <= this.clock.nowMs()) {
      return this.giveUp(mail, 'expired', 'what it offers has expired');
    }
    try {
      await this.sender.send(mail, content);
    } catch (error) {
      return this.failed(mail, error);
    }
    countMail(mail.template, 'sent');
    await this.book(mail);
  }

  /** What is sent and not booked goes out once more: a database that is away for a moment is waited for. */
  private async book({ id }: ClaimedMail): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.outbox.remove(id);
      } catch (error) {
        if (tries === BOOKING_TRIES || !isDatabaseUnavailable(error)) throw error;
        await delay(BOOKING_PAUSE_MS);
      }
    }
  }

  private async failed(mail: ClaimedMail, error: unknown): Promise<void> {
    if (error instanceof RecipientError) return this.giveUp(mail, 'refused', error.message);
    const { permanent, reason } = readDeliveryFault(error);
    if (permanent) return this.giveUp(mail, 'refused', reason);
    const dueAt = this.clock.nowMs() + retryDelayMs(mail.attempts, Math.random());
    if (dueAt >= mail.createdAt.getTime() + GIVE_UP_AFTER_MS) return this.giveUp(mail, 'given_up', reason);
    countMail(mail.template, 'retried');
    this.logger.warn({ ...describe(mail), reason, msg: 'A mail could not be sent; it is tried again.' });
    await this.outbox.putBack(mail, new Date(dueAt));
  }

  /** The line says what an operator needs, and neither what the mail says nor to whom. */
  private async giveUp(mail: ClaimedMail, outcome: MailOutcome, reason: string): Promise<void> {
    countMail(mail.template, outcome);
    this.logger.error({ ...describe(mail), outcome, reason, msg: 'A mail was given up.' });
    await this.outbox.remove(mail.id);
  }
}

function describe({ id, template, attempts, createdAt }: ClaimedMail): Record<string, unknown> {
  return { mail: id, template, attempts, createdAt };
}
