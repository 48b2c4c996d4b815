import type { EntityManager } from 'typeorm';

export interface RetryPolicy {
  /** Milliseconds before the next attempt. `attempts` counts failed ones (1 or more); `random` is from 0 up to 1, for jitter. */
  delayMs(attempts: number, random: number): number;
  /** Age in milliseconds at which attempts stop: a job that fails is given up if its next attempt would begin later. */
  readonly giveUpAfterMs: number;
}

/** Options of a kind of job. */
export interface JobKindOptions {
  /** Jobs of this kind that one instance runs at the same time. Default: 1. */
  readonly concurrency?: number;
  /** Default: 5 s, doubled each time up to an hour. The job is given up after a day. */
  readonly retry?: RetryPolicy;
  /** Milliseconds to keep a job that was given up. Default: a week; 0 deletes it immediately. */
  readonly keepFailedMs?: number;
}

/** A kind of background work, and the type of its payload. Its owner declares it once, by {@link defineJob}. */
export interface JobKind<Payload extends object = object> extends Required<JobKindOptions> {
  readonly name: string;
  /** Never set: only for the type. */
  readonly payload?: Payload;
}

/** A running job, as its runner receives it. */
export interface Job<Payload extends object = object> {
  readonly id: string;
  readonly payload: Payload;
  /** Started attempts, including this one. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** When the job becomes useless; null for never. */
  readonly expiresAt: Date | null;
  /** When the next attempt begins if this one fails; null if the job is given up instead. */
  readonly retryAt: Date | null;
  /** Aborted when this instance loses the job: it was cancelled, or the service is about to stop. */
  readonly signal: AbortSignal;
  /**
   * Runs the work and completes the job in one transaction.
   *
   * @throws an error if this instance has lost the job. The work is rolled back then.
   */
  complete(work: (manager: EntityManager) => Promise<void>): Promise<void>;
}

const DAY_MS = 86_400_000;
const FIRST_DELAY_MS = 5_000;
/** @internal */
const MAX_DELAY_MS = 3_600_000;
const JITTER = 0.2;

/** 5 s, doubled each time, at most an hour. Up to 20 % of jitter spreads the retries of jobs that failed together. Given up after a day. */
export const DEFAULT_RETRY: RetryPolicy = {
  delayMs(attempts, random) {
    const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
    return Math.round(delay * (1 - JITTER + 2 * JITTER * random));
  },
  giveUpAfterMs: DAY_MS,
};

/**
 * Declares a kind of job.
 *
 * @param name dotted and unique, such as `mail.send`. It is stored in the table, so never change it.
 */
export function defineJob<Payload extends object = Record<never, never>>(
  name: string,
  { concurrency = 1, retry = DEFAULT_RETRY, keepFailedMs = 7 * DAY_MS }: JobKindOptions = {},
): JobKind<Payload> {
  return { name, concurrency, retry, keepFailedMs };
}

/** An error of a job whose message is stored with the job. Of other errors only the class name is stored. */
export class JobFault extends Error {
  override readonly name = 'JobFault';

  /**
   * @param message is stored with the job. It must contain no secrets and no personal data.
   * @param options `retry: false` gives the job up immediately; `logged: true` if the runner has already logged the error.
   */
  constructor(
    message: string,
    readonly options: { readonly retry?: boolean; readonly logged?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
  }
}
