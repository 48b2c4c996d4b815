/** How many tries are granted within a period. */
export interface RateLimitPolicy {
  readonly points: number;
  readonly durationSeconds: number;
}

/**
 * Every limit of the service. Failures are counted, not successes: what succeeds gives its try back
 * (`loginAccount`, `loginAddress`); the others count each request.
 */
export const RATE_LIMITS = {
  /** Wrong passwords and codes of one account, over all the ways in. It delays; it never locks an owner out for good. */
  loginAccount: { points: 10, durationSeconds: 900 },
  /** Wrong passwords and codes from one client address, over all accounts. */
  loginAddress: { points: 100, durationSeconds: 900 },
  /** New accounts from one client address. */
  register: { points: 100, durationSeconds: 3_600 },
  /** Mails of one kind to one account that anybody can ask for. What is beyond is silently not sent. */
  mailAddress: { points: 5, durationSeconds: 900 },
  /** Every other public request that writes or sends mail, by client address. */
  general: { points: 300, durationSeconds: 60 },
} as const satisfies Record<string, RateLimitPolicy>;

/** The name of a limit. */
export type RateLimitName = keyof typeof RATE_LIMITS;
