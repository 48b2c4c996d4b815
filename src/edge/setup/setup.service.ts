import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../kernel/keys/key-derivation.js';
import { randomToken } from '../../kernel/keys/random.js';
import { PasswordHasher } from '../../identity/users/passwords/password-hasher.port.js';
import { SERVICE_ACCOUNT } from '../../identity/users/user.entity.js';
import { UsersService } from '../../identity/users/users.service.js';

const SETUP_TOKEN_KEY = defineKeyPurpose('setup-token', 'dies');

/** The fields must be validated. */
export interface FirstAdministrator {
  readonly email: string;
  readonly username?: string | null;
  readonly password: string;
}

const ADMINISTRATOR = `SELECT 1 FROM user_roles ur JOIN roles r ON r.id = ur.role_id JOIN users u ON u.id = ur.user_id
  WHERE r.root AND u.activated AND u.provider <> '${SERVICE_ACCOUNT}'`;
/** Only the token of the latest start exists. */
const REPLACE = `INSERT INTO setup_tokens (id, token_hash, created_at) SELECT 1, $1, $2 WHERE NOT EXISTS (${ADMINISTRATOR})
  ON CONFLICT (id) DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at RETURNING id`;
/** Both in one statement, so that a concurrent commit cannot make the result inconsistent. */
const CHECK = `SELECT EXISTS (${ADMINISTRATOR}) AS completed, EXISTS (SELECT 1 FROM setup_tokens WHERE token_hash = $1) AS good`;
const CONSUME = `DELETE FROM setup_tokens WHERE token_hash = $1 AND NOT EXISTS (${ADMINISTRATOR}) RETURNING id`;

/** Creates the first administrator. The caller proves access to the server by the token that it prints at its start. */
@Injectable()
export class SetupService {
  private readonly key;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, SETUP_TOKEN_KEY);
  }

  /** Returns whether an active user has a root role. */
  async hasAdministrator(): Promise<boolean> {
    return (await this.dataSource.query<unknown[]>(`${ADMINISTRATOR} LIMIT 1`)).length > 0;
  }

  /**
   * Returns a new token, which replaces the one of an earlier start. Null if there is an administrator, and in federated-only mode, where
   * `AUTH_ADMIN_EMAILS` selects the first one.
   */
  async issueToken(): Promise<string | null> {
    // The token of an earlier start is always deleted, because it may be in a log.
    await this.dataSource.query('DELETE FROM setup_tokens');
    if (this.config.auth.localLoginDisabled) return null;
    const token = randomToken();
    const rows = await this.dataSource.query<unknown[]>(REPLACE, [keyedHash(this.key, token), this.clock.now()]);
    return rows.length === 0 ? null : token;
  }

  /**
   * Creates the active account with a proven address, and consumes the token in the same transaction. Only one of several concurrent
   * requests succeeds.
   *
   * @throws AppError `setup_completed`, `setup_token_invalid`, `email_taken`, `username_taken`.
   */
  async complete(token: string, { email, username, password }: FirstAdministrator): Promise<void> {
    const tokenHash = keyedHash(this.key, token);
    // Check the token first, so that only a valid one costs a hash. Hashing runs outside the transaction, so that it uses no connection.
    await this.assertValid(tokenHash);
    const passwordHash = await this.hasher.hash(password);
    await this.dataSource.transaction(async (manager) => {
      await this.consume(manager, tokenHash);
      await this.users.create(manager, {
        email,
        username,
        passwordHash,
        provider: 'local',
        activated: true,
        emailVerifiedAt: this.clock.now(),
        roles: ['admin', 'user'],
        by: 'administrator',
      });
    });
  }

  private async assertValid(tokenHash: string): Promise<void> {
    const [row] = await this.dataSource.query<{ completed: boolean; good: boolean }[]>(CHECK, [tokenHash]);
    if (row?.completed === true) throw new AppError('setup_completed');
    if (row?.good !== true) throw new AppError('setup_token_invalid');
  }

  /** Consumes the token. A concurrent request that waited for the row finds it deleted, and the administrator created. */
  private async consume(manager: EntityManager, tokenHash: string): Promise<void> {
    const [rows] = await manager.query<[unknown[], number]>(CONSUME, [tokenHash]);
    if (rows.length === 1) return;
    const [administrator] = await manager.query<unknown[]>(`${ADMINISTRATOR} LIMIT 1`);
    throw new AppError(administrator === undefined ? 'setup_token_invalid' : 'setup_completed');
  }
}
