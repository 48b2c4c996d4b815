import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { clientBlock, type RateLimitName } from '../../platform/http/http.public.js';
import { RateLimiter } from '../../platform/http/rate-limit/rate-limiter.service.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../kernel/keys/key-derivation.js';
import { emailKey } from '../users/users.service.js';
import type { ClientContext } from './access/client-context.js';

const BUDGET_KEY = defineKeyPurpose('mailbox-budget', 'dies');

interface GuessLimits {
  /** Limit of the client address, over all accounts. */
  readonly address: RateLimitName | null;
  /** Limits of the account. The narrower one is first, so that attempts it rejects do not count for the wider one. */
  readonly account: readonly RateLimitName[];
}

/** Kinds that need an earlier proof have separate account limits, so that strangers cannot use up the attempts of the owner. */
const LIMITS = {
  password: { address: 'loginAddress', account: ['loginAccount'] },
  'own-password': { address: null, account: ['ownPassword'] },
  'mailed-code': { address: 'loginAddress', account: ['codeAccount'] },
  'first-mailed-code': { address: 'loginAddress', account: [] },
  'sign-in-code': { address: 'loginAddress', account: ['signInCodeAccount', 'codeAccount'] },
  'second-factor': { address: 'factorAddress', account: [] },
  'second-factor-code': { address: 'factorAddress', account: ['factorAccount', 'factorAccountDay'] },
} as const satisfies Readonly<Record<string, GuessLimits>>;

export type GuessedSecret = keyof typeof LIMITS;

/** Length of the identifier of a mailbox. */
export const MAILBOX_BYTES = 8;

/**
 * Limits failed attempts for each account, and for each client address over all accounts. Every check of a secret counts an attempt first,
 * and refunds it if the secret was correct. Passwords and mailed codes are counted separately, so that password
 * guesses do not block recovery by mail (ADR 0016).
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

  /** Identifies a mailbox, with or without an account, by 64 bits of a keyed hash in hex. */
  mailbox(email: string): string {
    return Buffer.from(keyedHash(this.key, emailKey(email)), 'base64url').toString('hex', 0, MAILBOX_BYTES);
  }

  /** @param account for a password the account id, or the login if there is no such account; for a code its {@link mailbox}. */
  async consume(secret: GuessedSecret, account: string, client: ClientContext): Promise<void> {
    const { address } = LIMITS[secret];
    if (address !== null) await this.limiter.consume(address, clientBlock(client.address));
    await this.consumeOfAccount(secret, account);
  }

  /** Counts one attempt of the account only, if {@link consume} has already counted the client address. */
  async consumeOfAccount(secret: GuessedSecret, account: string): Promise<void> {
    for (const limit of LIMITS[secret].account) await this.limiter.consume(limit, account);
  }

  /** The first attempt of each session is outside the budget of the mailbox: strangers who use up the budget do not have the session. */
  async consumeOfSession(sessionId: string, mailbox: string): Promise<void> {
    if (!(await this.limiter.tryConsume('codeSession', sessionId))) await this.consumeOfAccount('mailed-code', mailbox);
  }

  /** Resets the failures of this kind after a correct secret, and refunds the attempt of the client address. */
  async succeed(secret: GuessedSecret, account: string, client: ClientContext): Promise<void> {
    await this.refund(secret, account, client, 'reset');
  }

  /** Refunds an attempt whose secret could not be checked. */
  async refund(
    secret: GuessedSecret,
    account: string,
    client: ClientContext,
    ofAccount: 'refund' | 'reset' = 'refund',
  ): Promise<void> {
    const { address, account: limits }: GuessLimits = LIMITS[secret];
    await Promise.all([
      ...limits.map((limit) => this.limiter[ofAccount](limit, account)),
      address === null ? null : this.limiter.refund(address, clientBlock(client.address)),
    ]);
  }

  async resetPasswordFailures(userId: string): Promise<void> {
    await Promise.all([this.limiter.reset('loginAccount', userId), this.limiter.reset('ownPassword', userId)]);
  }
}
