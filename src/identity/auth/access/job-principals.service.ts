import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal, KeyScope, PrincipalKey, SessionAssurance } from '../../../kernel/principal.types.js';

/** The principal that a background job runs as. */
export interface JobPrincipal {
  readonly account: string;
  /** The principal is valid only while this session is; null for no session. */
  readonly session: string | null;
  /** The principal is valid only while this API key is, and is limited to its scopes; null for no key. */
  readonly key: string | null;
}

/** How an account was authenticated when it requested a background job. The job may outlive the session. */
export interface JobActor {
  readonly session: string;
  readonly key: string | null;
  /** Assurance level when the job was requested or last resumed. */
  readonly assurance: SessionAssurance | null;
}

export function jobActor({ sessionId, key, assurance }: AccountPrincipal): JobActor {
  return { session: sessionId, key: key?.id ?? null, assurance: assurance ?? null };
}

interface AccountRow {
  readonly email: string;
  readonly roleIds: readonly string[];
  readonly scopes: readonly KeyScope[] | null;
  readonly schemaVersion: number;
}

/** The account, if its session and its key are still valid, where they are given. */
const FIND = `SELECT u.email, array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds",
    k.scopes, k.schema_version AS "schemaVersion"
  FROM users u LEFT JOIN api_keys k ON k.id = $3 AND k.user_id = u.id AND (k.expires_at IS NULL OR k.expires_at > $4)
  WHERE u.id = $1 AND u.activated AND ($3::uuid IS NULL OR k.id IS NOT NULL)
  AND ($2::uuid IS NULL OR EXISTS (SELECT 1 FROM sessions s WHERE s.id = $2 AND s.user_id = u.id AND s.expires_at > $4))`;

@Injectable()
export class JobPrincipals {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Returns null if the account does not exist or is inactive, or its session or key is not valid any more. */
  async find({ account, session, key }: JobPrincipal): Promise<AccountPrincipal | null> {
    const [row] = await this.dataSource.query<AccountRow[]>(FIND, [account, session, key, this.clock.now()]);
    if (row === undefined) return null;
    const { email, roleIds } = row;
    const by = key === null ? {} : { key: keyOf(key, row) };
    return { kind: 'account', userId: account, sessionId: session ?? key ?? '', email, roleIds, ...by };
  }

  /** Ignores the expiry of the session, so that it does not stop the job. @throws AppError `permission_denied` if the account or the key does not exist. */
  async of(account: string, { session, key, assurance }: JobActor): Promise<AccountPrincipal> {
    const principal = await this.find({ account, session: null, key });
    if (principal === null) throw new AppError('permission_denied');
    return { ...principal, sessionId: key ?? session, ...(assurance !== null && { assurance }) };
  }
}

function keyOf(id: string, { scopes, schemaVersion }: AccountRow): PrincipalKey {
  return { id, scopes: scopes?.map((scope) => ({ ...scope, schemaVersion })) ?? null };
}
