import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { prepared, readDriverFault } from '../../platform/database/database.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../kernel/keys/key-derivation.js';
import { newId, randomDigits, randomToken } from '../../kernel/keys/random.js';
import { lockAccount } from '../users/users.service.js';
import { SecretPurposes } from './secret-purposes.service.js';
import {
  type CodeRequest,
  type IssuedSecret,
  OneTimeSecrets,
  type SecretGrant,
  type SecretPurpose,
  type SecretRefusal,
  type SecretRequest,
} from './one-time-secrets.port.js';

const SECRET_KEY = defineKeyPurpose('one-time-secret', 'dies');

const INSERT = `INSERT INTO one_time_secrets (id, purpose, user_id, secret_hash, data, attempts_left, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;

/** Finds an unused token, even if it has expired. */
const FIND = `SELECT id, user_id, data, expires_at FROM one_time_secrets
  WHERE purpose = $1 AND secret_hash = $2 AND attempts_left IS NULL ORDER BY expires_at DESC LIMIT 1`;

/** Locks the account row before the secret row, in the same order as issuing, so that the two cannot deadlock. */
const CONSUME = `WITH account AS (
    SELECT id FROM users WHERE id IN (
      SELECT user_id FROM one_time_secrets WHERE purpose = $1 AND secret_hash = $2 AND attempts_left IS NULL AND expires_at > $3
    ) FOR NO KEY UPDATE
  )
  DELETE FROM one_time_secrets s USING account
  WHERE s.user_id = account.id AND s.purpose = $1 AND s.secret_hash = $2 AND s.attempts_left IS NULL AND s.expires_at > $3
  RETURNING s.id, s.user_id, s.data, s.expires_at`;

const TRIABLE = 'purpose = $1 AND user_id = $2 AND attempts_left > 0 AND expires_at > $3';

/** Each row matches one of the two statements, so only one of several concurrent requests consumes the code. */
const TRY = `WITH missed AS (
    UPDATE one_time_secrets SET attempts_left = attempts_left - 1 WHERE ${TRIABLE} AND secret_hash <> $4
  )
  DELETE FROM one_time_secrets WHERE ${TRIABLE} AND secret_hash = $4 RETURNING id, data`;
const TRY_ALONE = prepared<{ id: string; data: object }>('try-code', TRY);

/** The same for a code that is kept: every attempt is counted, right or wrong. */
const CHECK = `WITH tried AS (
    UPDATE one_time_secrets SET attempts_left = attempts_left - 1 WHERE ${TRIABLE} RETURNING id, data, secret_hash
  )
  SELECT id, data FROM tried WHERE secret_hash = $4`;

/** The matching code of an account, even if other requests have used up its attempts. */
const RIGHT = 'purpose = $1 AND user_id = $2 AND attempts_left IS NOT NULL AND expires_at > $3 AND secret_hash = $4';
const TRY_OWN = `DELETE FROM one_time_secrets WHERE ${RIGHT} RETURNING id, data`;
const CHECK_OWN = `SELECT id, data FROM one_time_secrets WHERE ${RIGHT}`;

/** SQLSTATE of a foreign-key violation: the account was deleted. */
const FOREIGN_KEY_VIOLATION = '23503';

/** One-time secrets in the database, so that every instance accepts secrets that another one issued. */
@Injectable()
export class DatabaseOneTimeSecrets extends OneTimeSecrets {
  private readonly key;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly clock: Clock,
    private readonly purposes: SecretPurposes,
  ) {
    super();
    this.key = deriveKey(config.appKey, SECRET_KEY);
  }

  issueToken<Data extends object>(manager: EntityManager, request: SecretRequest<Data>): Promise<IssuedSecret> {
    return this.issue(manager, request, request.secret ?? randomToken(), null);
  }

  issueCode<Data extends object>(manager: EntityManager, request: CodeRequest<Data>): Promise<IssuedSecret> {
    return this.issue(manager, request, randomDigits(request.length), request.attempts);
  }

  async checkToken<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    token: string,
  ): Promise<SecretGrant<Data> | SecretRefusal> {
    const [row] = await manager.query<SecretRow<Data>[]>(FIND, [purpose.name, this.tokenHash(purpose, token)]);
    return this.grantOf(row);
  }

  async consumeToken<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    token: string,
  ): Promise<SecretGrant<Data> | SecretRefusal> {
    const [rows] = await manager.query<[SecretRow<Data>[], number]>(CONSUME, [
      purpose.name,
      this.tokenHash(purpose, token),
      this.clock.now(),
    ]);
    if (rows[0] !== undefined) return this.grantOf(rows[0]);
    return (await this.checkToken(manager, purpose, token)) === 'expired' ? 'expired' : 'invalid';
  }

  async tryCode<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    userId: string,
    code: string,
    retain = false,
    attempt: 'counted' | 'own' = 'counted',
  ): Promise<SecretGrant<Data> | 'invalid'> {
    const values = [purpose.name, userId, this.clock.now(), this.codeHash(purpose, userId, code)];
    const [row] = await (retain
      ? manager.query<CodeRow<Data>[]>(attempt === 'own' ? CHECK_OWN : CHECK, values)
      : this.consumeCode<Data>(manager, values, attempt));
    return row === undefined ? 'invalid' : { id: row.id, userId, data: row.data };
  }

  async revoke(manager: EntityManager, userId: string, purposes?: readonly SecretPurpose[]): Promise<void> {
    const text = 'DELETE FROM one_time_secrets WHERE user_id = $1 AND ($2::text[] IS NULL OR purpose = ANY($2))';
    await manager.query(text, [userId, purposes?.map(({ name }) => name) ?? null]);
  }

  async revokeNewer(manager: EntityManager, purpose: SecretPurpose, { id, userId }: SecretGrant): Promise<void> {
    await manager.query('DELETE FROM one_time_secrets WHERE user_id = $1 AND purpose = $2 AND id > $3', [
      userId,
      purpose.name,
      id,
    ]);
  }

  /** Consumes a code: on the connection of the transaction, or without one directly over the pool. */
  private async consumeCode<Data extends object>(
    manager: EntityManager,
    values: readonly unknown[],
    attempt: 'counted' | 'own',
  ): Promise<CodeRow<Data>[]> {
    if (attempt === 'own') return (await manager.query<[CodeRow<Data>[], number]>(TRY_OWN, [...values]))[0];
    if (manager.queryRunner === undefined) return TRY_ALONE(manager.connection, values) as Promise<CodeRow<Data>[]>;
    return (await manager.query<[CodeRow<Data>[], number]>(TRY, [...values]))[0];
  }

  private async issue(
    manager: EntityManager,
    request: SecretRequest,
    secret: string,
    attempts: number | null,
  ): Promise<IssuedSecret> {
    const { purpose, userId, lifetimeSeconds, data, replace = true } = request;
    this.purposes.assertProvided(purpose);
    // Lock the account row, so that the later of two concurrent requests revokes the secret of the earlier one.
    if (replace) await lockAccount(manager, userId);
    if (replace) await this.revoke(manager, userId, [purpose]);
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1_000);
    const secretHash = attempts === null ? this.tokenHash(purpose, secret) : this.codeHash(purpose, userId, secret);
    const id = newId();
    const row = [id, purpose.name, userId, secretHash, JSON.stringify(data), attempts, now, expiresAt];
    await manager.query(INSERT, row).catch(refuseDeletedAccount);
    return { id, secret, expiresAt };
  }

  private grantOf<Data extends object>(row: SecretRow<Data> | undefined): SecretGrant<Data> | SecretRefusal {
    if (row === undefined) return 'invalid';
    if (row.expires_at.getTime() <= this.clock.nowMs()) return 'expired';
    return { id: row.id, userId: row.user_id, data: row.data };
  }

  private tokenHash(purpose: SecretPurpose, token: string): string {
    return keyedHash(this.key, `${purpose.name}\0${token}`);
  }

  /** Codes are short. The hash includes the account, so that equal codes of two accounts have different hashes. */
  private codeHash(purpose: SecretPurpose, userId: string, code: string): string {
    return keyedHash(this.key, `${purpose.name}\0${userId}\0${code}`);
  }
}

function refuseDeletedAccount(cause: unknown): never {
  throw readDriverFault(cause)?.code === FOREIGN_KEY_VIOLATION ? new AppError('invalid_credentials', { cause }) : cause;
}

interface SecretRow<Data extends object = object> {
  readonly id: string;
  readonly user_id: string;
  readonly data: Data;
  readonly expires_at: Date;
}

type CodeRow<Data extends object> = Pick<SecretRow<Data>, 'id' | 'data'>;
