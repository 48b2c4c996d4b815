/** How many tries are granted within a period. */
export interface RateLimitPolicy {
  readonly points: number;
  readonly durationSeconds: number;
}

/**
 * Every limit of the service. Failures are counted, not successes: what succeeds gives its try back
 * (the first four); the others count each request.
 */
export const RATE_LIMITS = {
  /** Wrong passwords of one account, wherever one is asked for. It delays; it never locks an owner out for good. */
  loginAccount: { points: 10, durationSeconds: 900 },
  /** Wrong mailed codes of one address, over all kinds of codes: sign-in, recovery, activation. */
  codeAccount: { points: 10, durationSeconds: 900 },
  /** Those among them at sign-in codes, which anybody can try: a recovery code is always left some of the tries. */
  signInCodeAccount: { points: 7, durationSeconds: 900 },
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
