import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';

const CHALLENGE_KEY = defineKeyPurpose('passkey-challenge', 'dies');
/** Seconds for which a challenge may be answered. */
export const CHALLENGE_SECONDS = 300;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const SIZE = NONCE_BYTES + TIME_BYTES + MAC_BYTES;
/** Of many at once, on whichever instance, one is the first. */
const USE = `INSERT INTO used_passkey_challenges (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id`;

/** Uses of a challenge: a passkey to be added, a factor of an account that is known, or a sign-in without a name. */
export type ChallengeUse = 'add' | 'prove' | 'sign-in';

/**
 * Challenges of passkeys: random, signed by the service for one use and one account, five minutes, good once. Nothing is written
 * before one is answered: anybody may ask for them.
 */
@Injectable()
export class PasskeyChallenges {
  private readonly key;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, CHALLENGE_KEY);
  }

  /**
   * Returns a new challenge, in base64url.
   *
   * @param userId of the account that it is for; empty for a sign-in.
   */
  issue(use: ChallengeUse, userId: string): string {
    const said = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.alloc(TIME_BYTES)]);
    said.writeUIntBE(this.clock.nowMs() + CHALLENGE_SECONDS * 1_000, NONCE_BYTES, TIME_BYTES);
    return Buffer.concat([said, this.macOf(use, userId, said)]).toString('base64url');
  }

  /** Uses a challenge up, whatever comes of its answer; false if it is not ours, not for this, too old, or was used before. */
  async consume(manager: EntityManager, use: ChallengeUse, userId: string, challenge: string): Promise<boolean> {
    const bytes = Buffer.from(challenge, 'base64url');
    if (bytes.length !== SIZE || bytes.toString('base64url') !== challenge) return false;
    const said = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
    if (!timingSafeEqual(bytes.subarray(said.length), this.macOf(use, userId, said))) return false;
    const expiresAtMs = said.readUIntBE(NONCE_BYTES, TIME_BYTES);
    if (expiresAtMs <= this.clock.nowMs()) return false;
    const id = said.subarray(0, NONCE_BYTES).toString('base64url');
    return (await manager.query<unknown[]>(USE, [id, new Date(expiresAtMs)])).length === 1;
  }

  private macOf(use: ChallengeUse, userId: string, said: Buffer): Buffer {
    return Buffer.from(keyedHash(this.key, `${use} ${userId} ${said.toString('base64url')}`), 'base64url');
  }
}
