import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { prepared } from '../../../platform/database/database.public.js';
import { Clock } from '../../../kernel/clock.port.js';
import { newId } from '../../../kernel/random.js';
import type { ClientContext } from '../access/client-context.js';
import { SESSION_TOPIC } from './session-directory.js';

/** A sign-in that was proven, about to become a session. */
export interface NewSession {
  readonly userId: string;
  /** The way in: `local`, `otp`, or a provider's name. */
  readonly provider: string;
  readonly client: ClientContext;
  /** The account's, as it was before the proof was judged; a session begins only while it is the same. */
  readonly credentialsVersion: number;
}

/** The first refresh token of a session, as it is kept. */
export interface FirstRefreshToken {
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/**
 * Begins a session, with its first refresh token if it has one, only while the account is active and what opened it when
 * the sign-in was proven opens it still. The row lock makes a reset, a deactivation or any other end of credentials that
 * runs at the same time either come first, and refuse this, or come after, and end it.
 */
const START = prepared<{ id: string }>(
  'start-session',
  `WITH account AS (
     SELECT id FROM users WHERE id = $2 AND activated AND credentials_version = $8::integer FOR SHARE
   ), session AS (
     INSERT INTO sessions (id, user_id, provider, device, address, created_at, last_used_at, expires_at)
     SELECT $1::uuid, id, $3, $4, $5, $6::timestamptz, $6, $7::timestamptz FROM account RETURNING id
   ), token AS (
     INSERT INTO refresh_tokens (id, session_id, token_hash, created_at, expires_at)
     SELECT $9::uuid, id, $10::text, $6, $11::timestamptz FROM session WHERE $10::text IS NOT NULL
   )
   SELECT id FROM session`,
);

/** Begins and ends sessions. */
@Injectable()
export class SessionService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly clock: Clock,
  ) {}

  /** Writes the session by one statement and answers its id, or null where the account changed under the sign-in. */
  async start(session: NewSession, refreshToken: FirstRefreshToken | null): Promise<string | null> {
    const { userId, provider, client, credentialsVersion } = session;
    const now = this.clock.now();
    const expiresAt = this.expiryFrom(now);
    const parameters = [
      newId(),
      userId,
      provider,
      client.device,
      client.address.slice(0, 64),
      now,
      expiresAt,
      credentialsVersion,
      newId(),
      refreshToken?.tokenHash ?? null,
      refreshToken?.expiresAt ?? null,
    ];
    const [row] = await START(this.dataSource, parameters);
    return row?.id ?? null;
  }

  /** Ends one session, everywhere. */
  async end(sessionId: string): Promise<void> {
    await this.changes.transaction(async (manager, notify) => {
      await manager.query('DELETE FROM sessions WHERE id = $1', [sessionId]);
      notify(SESSION_TOPIC, sessionId);
    });
  }

  /** Ends all sessions of an account but one, in the caller's transaction, and answers how many there were. */
  async endAll(manager: EntityManager, notify: Notify, userId: string, exceptSessionId?: string): Promise<number> {
    const [rows] = await manager.query<[{ id: string }[], number]>(
      'DELETE FROM sessions WHERE user_id = $1 AND ($2::uuid IS NULL OR id <> $2) RETURNING id',
      [userId, exceptSessionId ?? null],
    );
    for (const { id } of rows) notify(SESSION_TOPIC, id);
    return rows.length;
  }

  /** When a session that is begun or renewed now ends by itself: with its last token. */
  expiryFrom(now: Date): Date {
    const { refreshTokenEnabled, refreshTokenLifetimeSeconds, accessTokenLifetimeSeconds } = this.config.auth;
    const seconds = refreshTokenEnabled
      ? Math.max(refreshTokenLifetimeSeconds, accessTokenLifetimeSeconds)
      : accessTokenLifetimeSeconds;
    return new Date(now.getTime() + seconds * 1_000);
  }
}
