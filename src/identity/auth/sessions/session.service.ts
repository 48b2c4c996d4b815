import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import type { SessionEnd } from '../../life/life-event.types.js';
import { SignInLife } from '../../life/sign-in-life.service.js';
import { SESSION_TOPIC } from './session-directory.js';

const END_ONE = 'DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id, provider';
const END_ALL = 'DELETE FROM sessions WHERE user_id = $1 AND ($2::uuid IS NULL OR id <> $2) RETURNING id, provider';
const LOCK_ACCOUNT = 'SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE';

/** A session to be ended, and why. */
export interface EndedSession {
  readonly userId: string;
  readonly id: string;
  readonly reason: SessionEnd;
}

interface SessionRow {
  readonly id: string;
  readonly provider: string;
}

/** Ends sessions, and says how long one lasts. */
@Injectable()
export class SessionService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly changes: ChangeNotifier,
    private readonly life: SignInLife,
  ) {}

  /** Ends one session of an account, everywhere, in the caller's transaction, and answers whether there was one. */
  async end(manager: EntityManager, notify: Notify, { userId, id, reason }: EndedSession): Promise<boolean> {
    const [rows] = await manager.query<[SessionRow[], number]>(END_ONE, [userId, id]);
    if (rows.length === 0) return false;
    notify(SESSION_TOPIC, id);
    await this.tell(manager, userId, rows, reason);
    return true;
  }

  /** Ends one session of an account, everywhere. See {@link end}. */
  async endNow(ended: EndedSession): Promise<boolean> {
    return this.changes.transaction(async (manager, notify) => {
      // The account's row first, as whoever ends all sessions does: a hook may want it.
      if (this.life.hears('sessionEnded')) await manager.query(LOCK_ACCOUNT, [ended.userId]);
      return this.end(manager, notify, ended);
    });
  }

  /** Ends all sessions of an account but one, in the caller's transaction. */
  async endAll(
    manager: EntityManager,
    notify: Notify,
    { userId, except, reason }: { readonly userId: string; readonly except?: string; readonly reason: SessionEnd },
  ): Promise<void> {
    const [rows] = await manager.query<[SessionRow[], number]>(END_ALL, [userId, except ?? null]);
    for (const { id } of rows) notify(SESSION_TOPIC, id);
    await this.tell(manager, userId, rows, reason);
  }

  /** When a session that is begun or renewed now ends by itself: with its last token. */
  expiryFrom(now: Date): Date {
    const { refreshTokenEnabled, refreshTokenLifetimeSeconds, accessTokenLifetimeSeconds } = this.config.auth;
    const seconds = refreshTokenEnabled
      ? Math.max(refreshTokenLifetimeSeconds, accessTokenLifetimeSeconds)
      : accessTokenLifetimeSeconds;
    return new Date(now.getTime() + seconds * 1_000);
  }

  private async tell(
    manager: EntityManager,
    userId: string,
    ended: readonly SessionRow[],
    reason: SessionEnd,
  ): Promise<void> {
    const facts = ended.map(({ id: sessionId, provider: method }) => ({ method, sessionId, reason }));
    await this.life.tell('sessionEnded', manager, userId, ...facts);
  }
}
