import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { newId, randomToken } from '../../../kernel/keys/random.js';
import { SessionService } from '../sessions/session.service.js';
import { prepared } from '../../../platform/database/database.public.js';

const REFRESH_TOKEN_KEY = defineKeyPurpose('refresh-token', 'dies');

/** The usual case in one statement. Locks the session before its token, as revocations do. Only one concurrent request succeeds. */
const ROTATE = prepared<{ userId: string; sessionId: string }>(
  'rotate-refresh-token',
  `WITH living AS (
     SELECT s.id, s.user_id FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
     WHERE t.token_hash = $1 AND t.used_at IS NULL AND t.expires_at > $2 AND u.activated FOR UPDATE OF s
   ), used AS (
     UPDATE refresh_tokens t SET used_at = $2 FROM living
     WHERE t.token_hash = $1 AND t.used_at IS NULL AND t.session_id = living.id RETURNING t.session_id, living.user_id
   ), renewed AS (
     UPDATE sessions SET last_used_at = $2, expires_at = $3 FROM used WHERE sessions.id = used.session_id
   ), successor AS (
     INSERT INTO refresh_tokens (id, session_id, token_hash, created_at, expires_at)
     SELECT $4, session_id, $5, $2, $6 FROM used
   )
   SELECT session_id AS "sessionId", user_id AS "userId" FROM used`,
);

/** Finds a token and locks its session, so that refreshes of one session run one after another. */
const FIND = `SELECT t.session_id AS "sessionId", t.used_at AS "usedAt", t.expires_at AS "expiresAt", s.user_id AS "userId", u.activated
  FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
  WHERE t.token_hash = $1 FOR UPDATE OF s, t`;

const FIND_SUCCESSOR = `SELECT used_at AS "usedAt", expires_at AS "expiresAt" FROM refresh_tokens
  WHERE token_hash = $1 AND session_id = $2`;

const FIND_SESSION = `SELECT s.id, s.user_id AS "userId",
    t.expires_at > $2 AND (t.used_at IS NULL OR t.used_at >= $3) AS "isUsable"
  FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE t.token_hash = $1`;

export interface IssuedRefreshToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface TokenSession {
  readonly id: string;
  readonly userId: string;
  readonly isUsable: boolean;
}

interface RenewedSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly refreshToken: IssuedRefreshToken;
}

interface FoundToken {
  readonly sessionId: string;
  readonly userId: string;
  readonly activated: boolean;
  readonly usedAt: Date | null;
  readonly expiresAt: Date;
}

type Refusal = 'refresh_token_invalid' | 'refresh_token_expired' | 'refresh_token_reused';

export interface RefreshBearer {
  /**
   * Whether concurrent requests of one client may overtake each other, as in a browser whose pages are closed and opened. Each token is
   * then accepted within the grace time after its use, whatever happened to its successors.
   */
  readonly overtakesItself?: boolean;
}

/** The previous token is accepted for this time after its use, because two tabs may refresh at once. */
const GRACE_MS = 10_000;

/**
 * Refresh tokens: opaque, stored as a keyed hash, rotated at every use, with reuse detection (RFC 9700 §4.14.2).
 *
 * The next token is derived from its predecessor by a keyed hash. Using the predecessor again within the grace time returns the same next
 * token. Concurrent refreshes therefore create only one branch.
 */
@Injectable()
export class RefreshTokenService {
  private readonly key;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly sessions: SessionService,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, REFRESH_TOKEN_KEY);
  }

  /** Returns the first token of a new session, with its hash. Nothing is stored. */
  first(): IssuedRefreshToken & { readonly tokenHash: string } {
    const token = randomToken();
    return { token, tokenHash: this.hash(token), expiresAt: this.expiryFrom(this.clock.now()) };
  }

  /** Uses a token and returns its successor. @throws AppError `refresh_token_reused`, which also ends the session. */
  async rotate(token: string, bearer: RefreshBearer = {}): Promise<RenewedSession> {
    const renewed = await this.rotateUnused(token);
    if (renewed !== null) return renewed;
    const result = await this.changes.transaction((manager, notify) => this.reuseIn(manager, notify, token, bearer));
    if (typeof result === 'string') throw new AppError(result);
    return result;
  }

  /** Also finds the session of an invalid token, which {@link rotate} would not accept. Does not use the token. */
  async findSession(token: string): Promise<TokenSession | null> {
    const now = this.clock.now();
    const values = [this.hash(token), now, new Date(now.getTime() - GRACE_MS)];
    const [row] = await this.dataSource.query<TokenSession[]>(FIND_SESSION, values);
    return row ?? null;
  }

  private async rotateUnused(token: string): Promise<RenewedSession | null> {
    const now = this.clock.now();
    const next = { token: this.successorOf(token), expiresAt: this.expiryFrom(now) };
    const [row] = await ROTATE(this.dataSource, [
      this.hash(token),
      now,
      this.sessions.expiryFrom(now),
      newId(),
      this.hash(next.token),
      next.expiresAt,
    ]);
    return row === undefined ? null : { ...row, refreshToken: next };
  }

  /** Handles a token that was used or is invalid. The previous token is accepted within the grace time. */
  private async reuseIn(
    manager: EntityManager,
    notify: Notify,
    token: string,
    { overtakesItself = false }: RefreshBearer,
  ): Promise<RenewedSession | Refusal> {
    const [row] = await manager.query<FoundToken[]>(FIND, [this.hash(token)]);
    if (row === undefined || !row.activated) return 'refresh_token_invalid';
    const now = this.clock.now();
    const { sessionId, userId } = row;
    let { usedAt } = row;
    if (row.expiresAt <= now) return 'refresh_token_expired';
    if (usedAt === null) return 'refresh_token_invalid';
    let newest = token;
    while (usedAt !== null && now.getTime() - usedAt.getTime() <= GRACE_MS) {
      newest = this.successorOf(newest);
      const [next] = await manager.query<FoundToken[]>(FIND_SUCCESSOR, [this.hash(newest), sessionId]);
      if (next?.usedAt === null)
        return { userId, sessionId, refreshToken: { token: newest, expiresAt: next.expiresAt } };
      usedAt = overtakesItself ? (next?.usedAt ?? null) : null;
    }
    await this.sessions.end(manager, notify, { userId, id: sessionId, reason: 'reuse' });
    return 'refresh_token_reused';
  }

  private expiryFrom(now: Date): Date {
    return new Date(now.getTime() + this.config.auth.refreshTokenLifetimeSeconds * 1_000);
  }

  private hash(token: string): string {
    return keyedHash(this.key, `hash\0${token}`);
  }

  private successorOf(token: string): string {
    return keyedHash(this.key, `next\0${token}`);
  }
}
