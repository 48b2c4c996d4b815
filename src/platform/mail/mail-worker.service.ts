import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { setTimeout as delay } from 'node:timers/promises';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { Clock } from '../../kernel/clock.port.js';
import { MailDelivery } from './mail-delivery.service.js';
import { mailDeliveryMode } from './mail-delivery-mode.js';
import { type ClaimedMail, MailOutbox } from './mail-outbox.js';

/** How often to look without being woken: mails of other instances, retries, what a crash left. */
const POLL_MS = 1_000;
/** How often a claim is kept up: some of it may fail before the claim lapses. */
const KEEP_MS = 2_000;
/** Mails in hand at once, each on a connection of its own to the mail server. */
const CONCURRENCY = 5;
/** How long a stop waits for mails in hand before it leaves them to others. */
const STOP_GRACE_MS = 5_000;

interface InFlight {
  readonly mail: ClaimedMail;
  readonly done: Promise<void>;
}

/**
 * Sends the mails of the outbox, on every instance: takes what is due and nobody else has, a few at a time, and looks again
 * as soon as one is done, one is written here, or a second has passed. Commands leave the sending to the service.
 */
@Injectable()
export class MailWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Mail');
  private readonly inFlight = new Map<string, InFlight>();
  private readonly timers: NodeJS.Timeout[] = [];
  private running = false;
  private lookingNow: Promise<number> = Promise.resolve(0);
  private lookingNext: Promise<number> | null = null;
  private failing = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly outbox: MailOutbox,
    private readonly delivery: MailDelivery,
    private readonly clock: Clock,
    private readonly http: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    const mode = mailDeliveryMode(this.config);
    if (mode === 'off') {
      this.logger.warn('MAIL_URL is not set: nothing is mailed. Recovery and changes of address need mail.');
    }
    if (mode === 'off' || !this.http.httpAdapter) return;
    this.running = true;
    this.timers.push(setInterval(() => this.wake(), POLL_MS).unref());
    this.timers.push(setInterval(() => this.keepInHand(), KEEP_MS).unref());
    this.wake();
  }

  /** Something may be due: look now. Faults are logged, not thrown. */
  wake(): void {
    if (this.running)
      void this.look().then(
        () => this.recovered(),
        (err: unknown) => this.failed(err),
      );
  }

  /** Sends everything that is due now, and returns when nothing of it is in hand any more. For tests and tools. */
  async drain(): Promise<void> {
    if (mailDeliveryMode(this.config) === 'off') return;
    while ((await this.look()) > 0 || this.inFlight.size > 0) {
      await Promise.all([...this.inFlight.values()].map(({ done }) => done));
    }
  }

  /** Takes nothing more, finishes what is in hand, and leaves to others what takes too long. */
  async beforeApplicationShutdown(): Promise<void> {
    this.running = false;
    await (this.lookingNext ?? this.lookingNow).catch(() => undefined);
    const all = Promise.all([...this.inFlight.values()].map(({ done }) => done));
    const patience = new AbortController();
    await Promise.race([all, delay(STOP_GRACE_MS, null, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
    for (const timer of this.timers) clearInterval(timer);
    const now = this.clock.now();
    for (const { mail } of this.inFlight.values()) await this.outbox.putBack(mail, now).catch(() => undefined);
  }

  /**
   * Takes what is due, as far as hands are free, and answers how many those were. One look at a time: a call during one
   * waits for the next, which all such calls share.
   */
  private look(): Promise<number> {
    this.lookingNext ??= this.lookingNow
      .catch(() => 0)
      .then(() => {
        this.lookingNext = null;
        this.lookingNow = this.takeDue();
        return this.lookingNow;
      });
    return this.lookingNext;
  }

  /** What takes long stays ours. Where that cannot be said, somebody else may send the mail once more. */
  private keepInHand(): void {
    const mails = [...this.inFlight.values()].map(({ mail }) => mail);
    if (mails.length === 0) return;
    this.outbox.keep(mails).catch((err: unknown) => {
      this.logger.warn({ err, mails: mails.length, msg: 'Mails in hand could not be kept from other instances.' });
    });
  }

  private async takeDue(): Promise<number> {
    const free = CONCURRENCY - this.inFlight.size;
    if (free <= 0) return 0;
    const claimed = await this.outbox.claim(free, [...this.inFlight.keys()]);
    for (const mail of claimed) this.inFlight.set(mail.id, { mail, done: this.send(mail) });
    return claimed.length;
  }

  private async send(mail: ClaimedMail): Promise<void> {
    try {
      await this.delivery.deliver(mail);
    } catch (err) {
      this.logger.warn({ err, mail: mail.id, msg: 'A mail was not booked; it comes back when its lease has passed.' });
    } finally {
      this.inFlight.delete(mail.id);
    }
    this.wake();
  }

  private failed(err: unknown): void {
    if (!this.failing) this.logger.warn({ err, msg: 'The outbox cannot be read; looking again every second.' });
    this.failing = true;
  }

  private recovered(): void {
    this.failing = false;
  }
}
