import type { EntityManager } from 'typeorm';

/** Decides on the retries of a failed job. */
export interface RetryPolicy {
  /**
   * Returns the milliseconds to wait after so many failed attempts (1 or more).
   *
   * @param random a number from 0 up to 1, for jitter.
   */
  delayMs(attempts: number, random: number): number;
  /** Age in milliseconds from which a job that fails is given up. */
  readonly giveUpAfterMs: number;
}

/** Options of a kind of job. */
export interface JobKindOptions {
  /** Jobs of this kind that one instance runs at once; 1 if not said. */
  readonly concurrency?: number;
  /** By default 5 s, doubled each time up to an hour, given up after a day. */
  readonly retry?: RetryPolicy;
  /** Milliseconds for which a job that was given up stays readable; a week if not said, 0 for not at all. */
  readonly keepFailedMs?: number;
}

/** A kind of background work, and the type of what its jobs carry. Its owner declares it once, by {@link defineJob}. */
export interface JobKind<Payload extends object = object> extends Required<JobKindOptions> {
  readonly name: string;
  /** Never there: carries the type alone. */
  readonly payload?: Payload;
}

/** A job under way: what a runner is given. */
export interface Job<Payload extends object = object> {
  readonly id: string;
  readonly payload: Payload;
  /** Attempts begun, this one included. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** When the job is worthless; null if it never is. */
  readonly expiresAt: Date | null;
  /** When the next attempt begins if this one fails; null if the job is given up then. */
  readonly retryAt: Date | null;
  /** Aborted when the job is no longer this instance's: it was cancelled, or the service is about to stop. */
  readonly signal: AbortSignal;
  /** Notes how far the work is, for whoever looks. */
  noteProgress(progress: object): Promise<void>;
  /**
   * Runs the work in one transaction with the end of the job: both are done, or neither.
   *
   * @throws an error if the job is no longer this instance's; nothing of the work is done then.
   */
  complete(work: (manager: EntityManager) => Promise<void>): Promise<void>;
}

const DAY_MS = 86_400_000;
const FIRST_DELAY_MS = 5_000;
/** @internal */
const LONGEST_DELAY_MS = 3_600_000;
const JITTER = 0.2;

/**
 * 5 s, doubled each time, at most an hour, with a fifth of jitter either way, so that jobs which failed together do not come
 * back together; given up after a day.
 */
export const DEFAULT_RETRY: RetryPolicy = {
  delayMs(attempts, random) {
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
    return Math.round(delay * (1 - JITTER + 2 * JITTER * random));
  },
  giveUpAfterMs: DAY_MS,
};

/**
 * Declares a kind of job.
 *
 * @param name dotted and unique, such as `mail.send`; it stands in the table, so it is never changed.
 */
export function defineJob<Payload extends object = Record<never, never>>(
  name: string,
  { concurrency = 1, retry = DEFAULT_RETRY, keepFailedMs = 7 * DAY_MS }: JobKindOptions = {},
): JobKind<Payload> {
  return { name, concurrency, retry, keepFailedMs };
}

/** The fault of a job that says more than that it failed. */
export class JobFault extends Error {
  override readonly name = 'JobFault';

  /**
   * @param message is kept with the job: nothing secret, and nothing of a person.
   * @param options `retry: false` gives the job up at once; `logged: true` if the runner has told of it already.
   */
  constructor(
    message: string,
    readonly options: { readonly retry?: boolean; readonly logged?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
  }
}
