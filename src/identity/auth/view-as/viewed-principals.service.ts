import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { type AccountPrincipal, GUEST, type Principal } from '../../../kernel/principal.types.js';
import { isUuid } from '../../../kernel/keys/random.js';
import { SessionDirectory } from '../sessions/session-directory.js';

export type Viewed =
  | { readonly kind: 'role'; readonly name: string }
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'guest' };

/** Placeholder for the id of a missing account or session. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

interface AccountRow {
  readonly email: string;
  readonly hasFactor: boolean;
  readonly accountSince: Date;
  readonly roleIds: string[];
  readonly sessionId: string | null;
}

const FIND_ROLE = 'SELECT id FROM roles WHERE name = $1';
const FIND_ACCOUNT = `SELECT u.email, u.second_factor AS "hasFactor", u.created_at AS "accountSince",
  array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds",
  (SELECT s.id FROM sessions s WHERE s.user_id = u.id AND s.expires_at > $2 ORDER BY s.last_used_at DESC, s.id DESC LIMIT 1) AS "sessionId"
  FROM users u WHERE u.id = $1 AND u.activated`;

@Injectable()
export class ViewedPrincipals {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns null for an unknown role, and for a missing or inactive account. An account has the assurance of its most recently used
   * session. Without a session, it counts as signed in just now with one proof.
   */
  async find(viewed: Viewed): Promise<Principal | null> {
    if (viewed.kind === 'guest') return GUEST;
    return viewed.kind === 'role' ? this.ofRole(viewed.name) : this.ofAccount(viewed.id);
  }

  private async ofRole(name: string): Promise<AccountPrincipal | null> {
    const [role] = await this.dataSource.query<{ readonly id: string }[]>(FIND_ROLE, [name]);
    return role === undefined
      ? null
      : { kind: 'account', userId: NIL_UUID, sessionId: NIL_UUID, email: '', roleIds: [role.id] };
  }

  private async ofAccount(userId: string): Promise<AccountPrincipal | null> {
    if (!isUuid(userId)) return null;
    const now = this.clock.now();
    const [row] = await this.dataSource.query<AccountRow[]>(FIND_ACCOUNT, [userId, now]);
    if (row === undefined) return null;
    const { email, roleIds, sessionId, hasFactor, accountSince } = row;
    const found = sessionId === null ? null : await this.sessions.findNow(sessionId, userId);
    if (found !== null) return found;
    const assurance = { level: 1, amr: [], provenAtMs: now.getTime(), levelAtMs: null, hasFactor };
    return {
      kind: 'account',
      userId,
      sessionId: NIL_UUID,
      email,
      roleIds,
      assurance: { ...assurance, accountSinceMs: accountSince.getTime() },
    };
  }
}
