import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { parseEmailAddress } from '../../../kernel/email-address.js';
import { newId } from '../../../kernel/random.js';
import { User } from '../../users/user.entity.js';
import { AddressRequest } from './address-request.entity.js';

/** What is done for an address that belongs to an account, in one transaction with the end of the request. */
export type AddressRequestHandler = (
  manager: EntityManager,
  user: User,
  data: Readonly<Record<string, unknown>>,
) => Promise<void>;

const POLL_MS = 1_000;
const RETRY_MS = 5_000;
const MAX_ATTEMPTS = 5;
/** A request that could not be served for so long is of no use any more. */
const STALE_MS = 600_000;

/**
 * Requests for a mail to some address (recovery, activation, one-time code). The answer must not tell whether the address
 * belongs to an account, neither by its text nor by its time: the request itself writes one row, whatever the address is,
 * and the look-up, the secret and the mail follow in the background, on any instance, also after a crash.
 */
@Injectable()
export class AddressRequests implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('AddressRequests');
  private readonly handlers = new Map<string, AddressRequestHandler>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private again = false;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Registers what is done for a kind of request. */
  handle(kind: string, handler: AddressRequestHandler): void {
    this.handlers.set(kind, handler);
  }

  /** Takes a request. Returns as soon as it is written. */
  async submit(kind: string, email: string, data: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const now = this.clock.now();
    await this.dataSource.manager.insert(AddressRequest, {
      id: newId(),
      kind,
      email,
      data: data as never,
      dueAt: now,
      createdAt: now,
    });
    this.wake();
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), POLL_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.again = false;
    await this.running;
  }

  /** Serves everything that is due, and returns when it is done. */
  async drain(): Promise<void> {
    this.wake();
    while (this.running !== null) await this.running;
  }

  private wake(): void {
    if (this.running !== null) {
      this.again = true;
      return;
    }
    this.again = false;
    this.running = this.serveAll().then(() => {
      this.running = null;
      if (this.again) this.wake();
    });
  }

  private async serveAll(): Promise<void> {
    try {
      while (await this.serveOne());
    } catch {
      // The database is away; what was taken is still there, and the next look finds it.
    }
  }

  /** Takes the oldest request that is due and nobody else has, and answers whether there was one. */
  private serveOne(): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const request = await manager
        .createQueryBuilder(AddressRequest, 'request')
        .where('request.dueAt <= :now', { now: this.clock.now() })
        .orderBy('request.dueAt')
        .limit(1)
        .setLock('pessimistic_write')
        .setOnLocked('skip_locked')
        .getOne();
      if (request === null) return false;
      await this.serve(manager, request);
      return true;
    });
  }

  private async serve(manager: EntityManager, request: AddressRequest): Promise<void> {
    const stale = this.clock.nowMs() - request.createdAt.getTime() > STALE_MS;
    if (stale || request.attempts >= MAX_ATTEMPTS) {
      this.logger.error({ kind: request.kind, msg: 'A request for a mail was given up.' });
      await manager.delete(AddressRequest, { id: request.id });
      return;
    }
    try {
      // A savepoint: a handler that fails takes back its own writes, and the retry is still noted.
      await manager.transaction(async (inner) => {
        const user = await findUser(inner, request.email);
        if (user !== null) await this.handlers.get(request.kind)?.(inner, user, request.data);
        await inner.delete(AddressRequest, { id: request.id });
      });
    } catch (err) {
      this.logger.warn({ err, kind: request.kind, msg: 'A request for a mail failed; it is tried again.' });
      const dueAt = new Date(this.clock.nowMs() + RETRY_MS);
      await manager.update(AddressRequest, { id: request.id }, { attempts: request.attempts + 1, dueAt });
    }
  }
}

function findUser(manager: EntityManager, email: string): Promise<User | null> {
  const mailbox = parseEmailAddress(email);
  return mailbox === null ? Promise.resolve(null) : manager.findOneBy(User, { emailKey: mailbox.key });
}
