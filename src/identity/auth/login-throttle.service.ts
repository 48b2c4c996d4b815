import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { clientBlock } from '../../platform/http/http.public.js';
import { RateLimiter } from '../../platform/http/rate-limit/rate-limiter.service.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../kernel/key-derivation.js';
import { emailKey } from '../users/users.service.js';
import type { ClientContext } from './access/client-context.js';

const BUDGET_KEY = defineKeyPurpose('mailbox-budget', 'dies');

/**
 * The limits of an account that a try of a secret counts against, in this order: the narrower one first, so that what it
 * refuses costs the wider one nothing.
 */
const LIMITS = {
  password: ['loginAccount'],
  'mailed-code': ['codeAccount'],
  'sign-in-code': ['signInCodeAccount', 'codeAccount'],
  'second-factor': ['loginAccount'],
  'second-factor-code': ['factorAccount', 'factorAccountDay', 'loginAccount'],
} as const;

/** A kind of secret that can be guessed at. */
export type GuessedSecret = keyof typeof LIMITS;

/** Bytes of the name under which a mailbox is counted. */
export const MAILBOX_BYTES = 8;

/**
 * The failures that an account may have, and a client address over all accounts. Every path that checks a secret spends a
 * try before it looks, and gives it back when the secret was right (THREATS, "Guessing"). Passwords and mailed codes are
 * counted apart: guesses at a password leave its owner the way back by mail (ADR 0016).
 */
@Injectable()
export class LoginThrottle {
  private readonly key;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly limiter: RateLimiter,
  ) {
    this.key = deriveKey(config.appKey, BUDGET_KEY);
  }

  /**
   * Returns the name under which tries of the codes mailed to an address are counted, whether it belongs to an account or
   * not: 64 bits of a keyed hash in hex, which tell nothing of the address.
   */
  mailbox(email: string): string {
    return Buffer.from(keyedHash(this.key, emailKey(email)), 'base64url').toString('hex', 0, MAILBOX_BYTES);
  }

  /**
   * Uses up one try.
   *
   * @param account for a password the account's id, or the given login if there is no such account; for a code its
   *   {@link mailbox}.
   * @throws AppError `rate_limited`.
   */
  async consume(secret: GuessedSecret, account: string, client: ClientContext): Promise<void> {
    await this.limiter.consume('loginAddress', clientBlock(client.address));
    for (const limit of LIMITS[secret]) await this.limiter.consume(limit, account);
  }

  /** Forgets the failures of this kind after the secret was right, and gives the client address its try back. */
  async succeed(secret: GuessedSecret, account: string, client: ClientContext): Promise<void> {
    await Promise.all([
      ...LIMITS[secret].map((limit) => this.limiter.reset(limit, account)),
      this.limiter.refund('loginAddress', clientBlock(client.address)),
    ]);
  }

  /** Forgets the failures at a password that was replaced. */
  async forgetPasswordFailures(userId: string): Promise<void> {
    await this.limiter.reset('loginAccount', userId);
  }
}
