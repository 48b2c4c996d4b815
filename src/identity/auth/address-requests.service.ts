import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';
import { RunsJob } from '../../platform/jobs/job.decorators.js';
import { defineJob, type Job, JobFault } from '../../platform/jobs/jobs.public.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { User } from '../users/user.entity.js';

/** Handler of a request for an address that belongs to an account, in one transaction with the end of the request. */
export type AddressRequestHandler = (
  manager: EntityManager,
  user: User,
  data: Readonly<Record<string, unknown>>,
) => Promise<void>;

interface AddressRequest {
  readonly kind: string;
  readonly email: string;
  /** Data for the handler of the kind. */
  readonly data: Readonly<Record<string, unknown>>;
}

const RETRY_MS = 5_000;
/** A request that could not be served for so long is of no use any more. */
const STALE_MS = 600_000;

const REQUEST_MAIL = defineJob<AddressRequest>('mail.request', {
  concurrency: 4,
  retry: { delayMs: () => RETRY_MS, giveUpAfterMs: STALE_MS },
  keepFailedMs: 0,
});

/**
 * Requests for a mail to some address (recovery, activation, one-time code). The answer must not tell whether the address
 * belongs to an account, neither by its text nor by its time: the request itself writes one row, whatever the address is,
 * and the look-up, the secret and the mail follow in the background, on any instance, also after a crash.
 */
@Injectable()
export class AddressRequests {
  private readonly handlers = new Map<string, AddressRequestHandler>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Registers what is done for a kind of request. */
  handle(kind: string, handler: AddressRequestHandler): void {
    this.handlers.set(kind, handler);
  }

  /** Takes a request. Returns as soon as it is written. */
  async submit(kind: string, email: string, data: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const expiresAt = new Date(this.clock.nowMs() + STALE_MS);
    await this.jobs.enqueue(this.dataSource.manager, REQUEST_MAIL, { kind, email, data }, { expiresAt });
  }

  /** Serves a request, in one transaction with its end: the mail is owed, and the request is gone. */
  @RunsJob(REQUEST_MAIL)
  async serve(job: Job<AddressRequest>): Promise<void> {
    if (job.expiresAt !== null && job.expiresAt.getTime() <= this.clock.nowMs())
      throw new JobFault('nobody waits for it any more', { retry: false });
    const { kind, email, data } = job.payload;
    await job.complete(async (manager) => {
      const user = await findUser(manager, email);
      if (user !== null) await this.handlers.get(kind)?.(manager, user, data);
    });
  }
}

/** Finds and locks the account, so that requests for one address are served one after the other. */
function findUser(manager: EntityManager, email: string): Promise<User | null> {
  const mailbox = parseEmailAddress(email);
  if (mailbox === null) return Promise.resolve(null);
  return manager.findOne(User, { where: { emailKey: mailbox.key }, lock: { mode: 'for_no_key_update' } });
}
