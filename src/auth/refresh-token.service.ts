import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { ChangeFeed, type Notify } from '../database/change-feed.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.port.js';
import { deriveKey, keyedHash } from '../kernel/key-derivation.js';
import { newId, randomToken } from '../kernel/random.js';
import { RefreshToken } from './refresh-token.entity.js';
import { SESSION_TOPIC } from './session-directory.js';
import { SessionService } from './session.service.js';

/** A refresh token and the moment from which it is refused. */
export interface IssuedRefreshToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** A session whose refresh token was renewed. */
export interface RenewedSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly refreshToken: IssuedRefreshToken;
}

/** Why a refresh token was refused. */
type Refusal = 'refresh_token_invalid' | 'refresh_token_expired' | 'refresh_token_reused';

interface Row {
  readonly id: string;
  readonly session_id: string;
  readonly user_id: string;
  readonly activated: boolean;
  readonly used_at: Date | null;
  readonly expires_at: Date;
}

/** For how long the previous token is honoured after its use: two tabs may refresh at once (CONTRACT §4). */
const GRACE_MS = 10_000;

/** Finds a token and locks its session: the refreshes of one session happen one after another. */
const FIND = `SELECT t.id, t.session_id, t.used_at, t.expires_at, s.user_id, u.activated
  FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
  WHERE t.token_hash = $1 FOR UPDATE OF s, t`;

/**
 * Refresh tokens: opaque, kept as a keyed hash, rotated at every use, with detection of reuse (RFC 9700 §4.14.2).
 *
 * The next token is derived from the one it replaces by a keyed hash. Whoever uses the previous one again within the
 * grace time gets that same next token: however many refresh at once, one branch lives.
 */
@Injectable()
export class RefreshTokenService {
  private readonly key;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly changes: ChangeFeed,
    private readonly sessions: SessionService,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, 'refresh-token');
  }

  /** The first token of a new session, in the caller's transaction. */
  issue(manager: EntityManager, sessionId: string): Promise<IssuedRefreshToken> {
    return this.write(manager, sessionId, randomToken());
  }

  /**
   * Takes a token and answers its successor.
   *
   * @throws AppError `refresh_token_invalid`, `refresh_token_expired`, or `refresh_token_reused`: the session is over then.
   */
  async rotate(token: string): Promise<RenewedSession> {
    const result = await this.changes.transaction((manager, notify) => this.rotateIn(manager, notify, token));
    if (typeof result === 'string') throw new AppError(result);
    return result;
  }

  private async rotateIn(manager: EntityManager, notify: Notify, token: string): Promise<RenewedSession | Refusal> {
    const [row] = await manager.query<Row[]>(FIND, [this.hash(token)]);
    if (row === undefined || !row.activated) return 'refresh_token_invalid';
    const now = this.clock.now();
    if (row.expires_at <= now) return 'refresh_token_expired';
    const successor = this.successorOf(token);
    const { session_id: sessionId, user_id: userId } = row;
    if (row.used_at === null) {
      await manager.update(RefreshToken, { id: row.id }, { usedAt: now });
      const expiresAt = this.sessions.expiryFrom(now);
      await manager.query('UPDATE sessions SET last_used_at = $2, expires_at = $3 WHERE id = $1', [
        sessionId,
        now,
        expiresAt,
      ]);
      notify(SESSION_TOPIC, sessionId);
      return { userId, sessionId, refreshToken: await this.write(manager, sessionId, successor) };
    }
    const next = await manager.findOneBy(RefreshToken, { tokenHash: this.hash(successor), sessionId });
    const inGrace = now.getTime() - row.used_at.getTime() <= GRACE_MS;
    if (inGrace && next !== null && next.usedAt === null) {
      return { userId, sessionId, refreshToken: { token: successor, expiresAt: next.expiresAt } };
    }
    await manager.query('DELETE FROM sessions WHERE id = $1', [sessionId]);
    notify(SESSION_TOPIC, sessionId);
    return 'refresh_token_reused';
  }

  private async write(manager: EntityManager, sessionId: string, token: string): Promise<IssuedRefreshToken> {
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + this.config.auth.refreshTokenLifetimeSeconds * 1_000);
    await manager.insert(RefreshToken, {
      id: newId(),
      sessionId,
      tokenHash: this.hash(token),
      createdAt,
      usedAt: null,
      expiresAt,
    });
    return { token, expiresAt };
  }

  private hash(token: string): string {
    return keyedHash(this.key, `hash\0${token}`);
  }

  private successorOf(token: string): string {
    return keyedHash(this.key, `next\0${token}`);
  }
}
