import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { SESSION_TOPIC } from './session-directory.js';

/** Ends sessions, and says how long one lasts. */
@Injectable()
export class SessionService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly changes: ChangeNotifier,
  ) {}

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
