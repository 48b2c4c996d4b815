import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';

const CHALLENGE_KEY = defineKeyPurpose('passkey-challenge', 'dies');
export const CHALLENGE_SECONDS = 300;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const SIZE = NONCE_BYTES + TIME_BYTES + MAC_BYTES;
/** Only one of several concurrent uses succeeds, across all instances. */
const USE = `INSERT INTO used_passkey_challenges (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id`;

/** `add` registers a passkey, `prove` is a second factor of a known account, `sign-in` starts without an account name. */
export type ChallengeUse = 'add' | 'prove' | 'sign-in';

/**
 * Challenges of passkeys. They are random and signed by the server for one purpose and one account. They expire after five minutes and can
 * be used once. Nothing is stored before an answer arrives, because any client can request challenges.
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

  /** @param userId of the account that it is for; empty for a sign-in. */
  issue(use: ChallengeUse, userId: string): string {
    const signed = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.alloc(TIME_BYTES)]);
    signed.writeUIntBE(this.clock.nowMs() + CHALLENGE_SECONDS * 1_000, NONCE_BYTES, TIME_BYTES);
    return Buffer.concat([signed, this.macOf(use, userId, signed)]).toString('base64url');
  }

  /**
   * Consumes a challenge, even if the rest of the answer turns out to be invalid. Returns false if it was not issued here for this purpose
   * and account, has expired, or was used before.
   */
  async consume(manager: EntityManager, use: ChallengeUse, userId: string, challenge: string): Promise<boolean> {
    const bytes = Buffer.from(challenge, 'base64url');
    if (bytes.length !== SIZE || bytes.toString('base64url') !== challenge) return false;
    const signed = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
    if (!timingSafeEqual(bytes.subarray(signed.length), this.macOf(use, userId, signed))) return false;
    const expiresAtMs = signed.readUIntBE(NONCE_BYTES, TIME_BYTES);
    if (expiresAtMs <= this.clock.nowMs()) return false;
    const id = signed.subarray(0, NONCE_BYTES).toString('base64url');
    return (await manager.query<unknown[]>(USE, [id, new Date(expiresAtMs)])).length === 1;
  }

  private macOf(use: ChallengeUse, userId: string, signed: Buffer): Buffer {
    return Buffer.from(keyedHash(this.key, `${use} ${userId} ${signed.toString('base64url')}`), 'base64url');
  }
}
