import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { loginKey } from '../../users/users.service.js';
import type { ClientContext } from '../access/client-context.js';
import { LoginThrottle } from '../login-throttle.service.js';
import { ProofRefused, type ProvenAccount } from './sign-in-method.port.js';

/** An attempt to sign in with a secret that can be guessed, such as a directory password. */
export interface SignInAttempt {
  /** Name of the sign-in method, one of its `names`. Each method has a separate budget. */
  readonly method: string;
  /** Login as the caller entered it. If there is no account, attempts are counted for the login, so that both cases look alike. */
  readonly login: string;
  /** Account of the login; null if there is none. */
  readonly userId: string | null;
  readonly client: ClientContext;
}

/**
 * Limits and records the attempts of a custom sign-in method of the application. The limits are those of passwords: 10 failures of an
 * account and 100 of a client address in 15 minutes. Call it inside `SignInService.complete`, which writes failed attempts to the audit
 * log.
 */
@Injectable()
export class SignInAttempts {
  constructor(private readonly throttle: LoginThrottle) {}

  /**
   * Counts an attempt, checks the secret, and resets the failures if it was correct. The attempt is counted before the check, so that
   * parallel requests get no additional attempts.
   *
   * @param check returns the account, or null if the secret is wrong. It should do the same work if there is no account. An error that is
   * not a refusal, such as an unavailable directory, refunds the attempt.
   * @throws AppError `rate_limited`.
   * @throws ProofRefused `invalid_credentials`, or the code of a refusal that `check` throws.
   */
  async prove(attempt: SignInAttempt, check: () => Promise<ProvenAccount | null>): Promise<ProvenAccount> {
    const { method, login, userId, client } = attempt;
    const account = `${method} ${userId ?? loginKey(login)}`;
    await this.throttle.consume('password', account, client);
    const proven = await check().catch(async (error: unknown) => {
      if (error instanceof AppError && error.status < 500) throw refusalOf(error, attempt);
      await this.throttle.refund('password', account, client);
      throw error;
    });
    if (proven === null) throw new ProofRefused('invalid_credentials', { userId, provider: method, client });
    await this.throttle.succeed('password', account, client);
    return proven;
  }
}

function refusalOf(error: AppError, { method, userId, client }: SignInAttempt): AppError {
  if (error instanceof ProofRefused || error.status === 429) return error;
  const { code, message, publicCode, status, details, cause } = error;
  return new ProofRefused(code, { userId, provider: method, client }, { message, publicCode, status, details, cause });
}
