import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal, KeyScope, PrincipalKey, SessionAssurance } from '../../../kernel/principal.types.js';

/** In whose name something is done later than it was asked for. */
export interface LaterPrincipal {
  readonly account: string;
  /** The session with which that ends; null for none. */
  readonly session: string | null;
  /** The API key with which that ends, and to whose scopes it is cut; null for none. */
  readonly key: string | null;
}

/** Account as it was signed in when it asked for something that outlives its session: by a key, or as it was. */
export interface LaterActor {
  readonly session: string;
  readonly key: string | null;
  /** Assurance that was proven when it was asked for, or last told to go on. */
  readonly assurance: SessionAssurance | null;
}

/** Returns how an account is signed in, as it is kept for later. */
export function laterActor({ sessionId, key, assurance }: AccountPrincipal): LaterActor {
  return { session: sessionId, key: key?.id ?? null, assurance: assurance ?? null };
}

interface AccountRow {
  readonly email: string;
  readonly roleIds: readonly string[];
  readonly scopes: readonly KeyScope[] | null;
  readonly schemaVersion: number;
}

/** An account as it is now, if its session and its key, or any, are still good. */
const FIND = `SELECT u.email, array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds",
    k.scopes, k.schema_version AS "schemaVersion"
  FROM users u LEFT JOIN api_keys k ON k.id = $3 AND k.user_id = u.id AND (k.expires_at IS NULL OR k.expires_at > $4)
  WHERE u.id = $1 AND u.activated AND ($3::uuid IS NULL OR k.id IS NOT NULL)
  AND ($2::uuid IS NULL OR EXISTS (SELECT 1 FROM sessions s WHERE s.id = $2 AND s.user_id = u.id AND s.expires_at > $4))`;

/** Finds the principals in whose name something is done when they are not there: with what they may at that moment. */
@Injectable()
export class LaterPrincipals {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Returns the principal; null if the account is not there or not active, and if its session or key is over. */
  async find({ account, session, key }: LaterPrincipal): Promise<AccountPrincipal | null> {
    const [row] = await this.dataSource.query<AccountRow[]>(FIND, [account, session, key, this.clock.now()]);
    if (row === undefined) return null;
    const { email, roleIds } = row;
    const by = key === null ? {} : { key: keyOf(key, row) };
    return { kind: 'account', userId: account, sessionId: session ?? key ?? '', email, roleIds, ...by };
  }

  /**
   * Returns an account with what was proven when it asked. The end of its session does not end what it began.
   *
   * @throws AppError `permission_denied` if the account, or the key, is no longer there.
   */
  async of(account: string, { session, key, assurance }: LaterActor): Promise<AccountPrincipal> {
    const principal = await this.find({ account, session: null, key });
    if (principal === null) throw new AppError('permission_denied');
    return { ...principal, sessionId: key ?? session, ...(assurance !== null && { assurance }) };
  }
}

function keyOf(id: string, { scopes, schemaVersion }: AccountRow): PrincipalKey {
  return { id, scopes: scopes?.map((scope) => ({ ...scope, schemaVersion })) ?? null };
}
