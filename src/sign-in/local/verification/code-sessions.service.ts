import { randomFillSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LoginThrottle, MAILBOX_BYTES } from '../../../identity/auth/login-throttle.service.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';

const CODE_SESSION_KEY = defineKeyPurpose('code-session', 'dies');

export interface CodeSession {
  /** Key under which the attempts of its codes are counted. */
  readonly mailbox: string;
  readonly isExpired: boolean;
}

/** Typed codes: digits, attempts, and lifetime in seconds. */
export const TYPED_CODE = { length: 6, attempts: 5, lifetimeSeconds: 900 } as const;

const NONCE_BYTES = 6;
/** Unix time in milliseconds. */
const EXPIRY_BYTES = 6;
const SIGNED_BYTES = NONCE_BYTES + EXPIRY_BYTES + MAILBOX_BYTES;
const ID_BYTES = 32;

/**
 * The `session_id` that belongs to a typed code: nonce, expiry, the requested mailbox, and a MAC over them. Attempts and expiry are derived
 * from the id alone, so a caller does not learn whether the address belongs to an account (ADR 0016). The id is useless unless a code was
 * mailed for it.
 */
@Injectable()
export class CodeSessions {
  private readonly key;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly throttle: LoginThrottle,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, CODE_SESSION_KEY);
  }

  issue(email: string): string {
    const signed = Buffer.alloc(SIGNED_BYTES);
    randomFillSync(signed, 0, NONCE_BYTES);
    signed.writeUIntBE(this.clock.nowMs() + TYPED_CODE.lifetimeSeconds * 1_000, NONCE_BYTES, EXPIRY_BYTES);
    signed.write(this.throttle.mailbox(email), NONCE_BYTES + EXPIRY_BYTES, 'hex');
    return Buffer.concat([signed, this.mac(signed)]).toString('base64url');
  }

  /** Decodes an id. An id that this server did not issue gets its own attempt counter. */
  read(sessionId: string): CodeSession {
    const bytes = Buffer.from(sessionId, 'base64url');
    const signed = bytes.subarray(0, SIGNED_BYTES);
    if (bytes.length !== ID_BYTES || !timingSafeEqual(bytes.subarray(SIGNED_BYTES), this.mac(signed))) {
      return { mailbox: `unissued ${sessionId}`, isExpired: false };
    }
    return {
      mailbox: signed.toString('hex', NONCE_BYTES + EXPIRY_BYTES),
      isExpired: signed.readUIntBE(NONCE_BYTES, EXPIRY_BYTES) <= this.clock.nowMs(),
    };
  }

  private mac(signed: Buffer): Buffer {
    const hash = keyedHash(this.key, signed.toString('hex'));
    return Buffer.from(hash, 'base64url').subarray(0, ID_BYTES - SIGNED_BYTES);
  }
}
