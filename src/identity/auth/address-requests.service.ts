import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';
import { RunsJob } from '../../platform/jobs/job.decorators.js';
import { defineJob, type Job, JobFault } from '../../platform/jobs/jobs.public.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import type { User } from '../users/user.entity.js';
import { findLocked } from '../users/users.service.js';

/** Handles a request for the address of an account, in the transaction that completes the request. */
export type AddressRequestHandler = (
  manager: EntityManager,
  user: User,
  data: Readonly<Record<string, unknown>>,
) => Promise<void>;

interface AddressRequest {
  readonly kind: string;
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const RETRY_MS = 5_000;
/** Older requests are dropped. */
const STALE_MS = 600_000;

const REQUEST_MAIL = defineJob<AddressRequest>('mail.request', {
  concurrency: 4,
  retry: { delayMs: () => RETRY_MS, giveUpAfterMs: STALE_MS },
  keepFailedMs: 0,
});

/**
 * Requests for a mail to an address (recovery, activation, one-time code). Neither the response nor its timing may reveal whether the
 * address belongs to an account. Therefore a request writes only one row. The look-up, the secret and the mail follow in a background job,
 * on any instance, even after a crash.
 */
@Injectable()
export class AddressRequests {
  private readonly handlers = new Map<string, AddressRequestHandler>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  handle(kind: string, handler: AddressRequestHandler): void {
    this.handlers.set(kind, handler);
  }

  /** Returns as soon as the request is stored. */
  async submit(kind: string, email: string, data: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const expiresAt = new Date(this.clock.nowMs() + STALE_MS);
    await this.jobs.enqueue(this.dataSource.manager, REQUEST_MAIL, { kind, email, data }, { expiresAt });
  }

  /** Queues the mail and completes the request in one transaction. */
  @RunsJob(REQUEST_MAIL)
  async serve(job: Job<AddressRequest>): Promise<void> {
    if (job.expiresAt !== null && job.expiresAt.getTime() <= this.clock.nowMs())
      throw new JobFault('it has no pending request', { retry: false });
    const { kind, email, data } = job.payload;
    await job.complete(async (manager) => {
      const mailbox = parseEmailAddress(email);
      // The lock makes requests for one address run one after another.
      const user = mailbox && (await findLocked(manager, { emailKey: mailbox.key }));
      if (user !== null) await this.handlers.get(kind)?.(manager, user, data);
    });
  }
}
