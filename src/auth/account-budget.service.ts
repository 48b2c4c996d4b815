import { Injectable } from '@nestjs/common';
import { clientBlock } from '../http/client-address.js';
import { RateLimiter } from '../http/rate-limit/rate-limiter.service.js';
import type { ClientContext } from './client-context.js';

/**
 * The budget of failures that an account has over all its secrets (password, one-time codes), and that a client address
 * has over all accounts. Every path that checks a secret spends a try before it looks, and gives it back when the secret
 * was right (THREATS, "Guessing").
 */
@Injectable()
export class AccountBudget {
  constructor(private readonly limiter: RateLimiter) {}

  /**
   * Uses up one try.
   *
   * @param account the account's id, or what was given as login where there is no such account.
   * @throws AppError `rate_limited`.
   */
  async spend(account: string, client: ClientContext): Promise<void> {
    await this.limiter.consume('loginAddress', clientBlock(client.address));
    await this.limiter.consume('loginAccount', account);
  }

  /** The secret was right: the account's failures are forgotten, the address gets its try back. */
  async succeed(account: string, client: ClientContext): Promise<void> {
    await Promise.all([
      this.limiter.reset('loginAccount', account),
      this.limiter.refund('loginAddress', clientBlock(client.address)),
    ]);
  }
}
