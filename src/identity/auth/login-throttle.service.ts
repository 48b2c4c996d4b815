import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { clientBlock, type RateLimitName } from '../../platform/http/http.public.js';
import { RateLimiter } from '../../platform/http/rate-limit/rate-limiter.service.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../kernel/keys/key-derivation.js';
import { emailKey } from '../users/users.service.js';
import type { ClientContext } from './access/client-context.js';

const BUDGET_KEY = defineKeyPurpose('mailbox-budget', 'dies');

/** Limits that an attempt at a secret counts against. */
interface GuessLimits {
  /** Of the client address, over all accounts. */
  readonly address: RateLimitName | null;
  /** Of the account, the narrower one first: what it refuses costs the wider one nothing. */
  readonly account: readonly RateLimitName[];
}

/**
 * Limits by kind of secret. A kind that anybody can try shares no limit of the account with a kind that needs an earlier proof, so that
 * strangers cannot use up the attempts of the owner.
 */
const LIMITS = {
  password: { address: 'loginAddress', account: ['loginAccount'] },
  'own-password': { address: null, account: ['ownPassword'] },
  'mailed-code': { address: 'loginAddress', account: ['codeAccount'] },
  'first-mailed-code': { address: 'loginAddress', account: [] },
  'sign-in-code': { address: 'loginAddress', account: ['signInCodeAccount', 'codeAccount'] },
  'second-factor': { address: 'factorAddress', account: [] },
  'second-factor-code': { address: 'factorAddress', account: ['factorAccount', 'factorAccountDay'] },
} as const satisfies Readonly<Record<string, GuessLimits>>;

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
    const { address } = limitsOf(secret);
    if (address !== null) await this.limiter.consume(address, clientBlock(client.address));
    await this.consumeOfAccount(secret, account);
  }

  /** Uses up one attempt of the account alone, where {@link consume} of the client address came before. */
  async consumeOfAccount(secret: GuessedSecret, account: string): Promise<void> {
    for (const limit of limitsOf(secret).account) await this.limiter.consume(limit, account);
  }

  /**
   * Uses up one attempt of a mailbox at the code of a session. The first attempt of a session is outside the budget of its mailbox:
   * strangers who use the budget up do not have the session.
   *
   * @throws AppError `rate_limited`.
   */
  async consumeOfSession(sessionId: string, mailbox: string): Promise<void> {
    if (!(await this.limiter.tryConsume('codeSession', sessionId))) await this.consumeOfAccount('mailed-code', mailbox);
  }

  /** Forgets the failures of this kind after the secret was right, and gives the client address its try back. */
  async succeed(secret: GuessedSecret, account: string, client: ClientContext): Promise<void> {
    const { address, account: limits } = limitsOf(secret);
    await Promise.all([
      ...limits.map((limit) => this.limiter.reset(limit, account)),
      address === null ? null : this.limiter.refund(address, clientBlock(client.address)),
    ]);
  }

  /** Gives an attempt back that was no guess: the secret could not be checked. */
  async giveBack(secret: GuessedSecret, account: string, client: ClientContext): Promise<void> {
    const { address, account: limits } = limitsOf(secret);
    await Promise.all([
      ...limits.map((limit) => this.limiter.refund(limit, account)),
      address === null ? null : this.limiter.refund(address, clientBlock(client.address)),
    ]);
  }

  /** Forgets the failures at a password that was replaced. */
  async forgetPasswordFailures(userId: string): Promise<void> {
    await Promise.all([this.limiter.reset('loginAccount', userId), this.limiter.reset('ownPassword', userId)]);
  }
}

function limitsOf(secret: GuessedSecret): GuessLimits {
  return LIMITS[secret];
}
