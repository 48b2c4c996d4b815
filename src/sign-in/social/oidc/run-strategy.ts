import passport from 'passport';
import { providerFailed } from '../providers/provider-failure.js';
import type { OidcStrategyOptions } from './oidc.strategy.js';

/**
 * Runs a registered strategy for one login and answers what it succeeded with. The HTTP request is not handed on: all that
 * the strategy may know stands in its options.
 *
 * @throws AppError `provider_failed` where the strategy refuses.
 */
export function runStrategy<T>(name: string, options: OidcStrategyOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (error: unknown, answer: T | false | undefined, refusal: unknown): void => {
      if (error !== null && error !== undefined) reject(error);
      else if (answer === false || answer === undefined) reject(providerFailed(`refused: ${messageOf(refusal)}`));
      else resolve(answer);
    };
    const run = passport.authenticate(name, options as object, settle) as (
      request: object,
      response: object,
      next: (error: unknown) => void,
    ) => void;
    run({}, {}, reject);
  });
}

/** The library's words; they hold nothing of the provider's. */
function messageOf(refusal: unknown): string {
  const { message } = (refusal ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : 'no reason given';
}
