import { isStorable } from '../../kernel/text/storable-text.js';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { findViolatedUnique, prepared } from '../../platform/database/database.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';
import { newId } from '../../kernel/keys/random.js';
import { defineAuditActions, OPERATOR } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { AccountLifecycle } from '../lifecycle/account-lifecycle.service.js';
import { EmailReservations } from './email-reservations.service.js';
import { ERASED_ACCOUNT, User } from './user.entity.js';
import { usernameKey } from './account-fields.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';

const ACTIONS = defineAuditActions('Accounts', {
  'account.create': 'A user registered, or an operator created the account.',
  'account.activate': 'The account was activated.',
  'account.deactivate': 'The account was deactivated.',
  'account.email': 'The e-mail address of the account was changed, or the previous address was restored.',
  'account.password': 'The password of the account was changed or removed.',
  'account.update': 'A user changed their profile.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** The fields are already validated. */
export interface NewUser {
  readonly email: string;
  readonly username?: string | null;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
  readonly language?: string | null;
  readonly passwordHash: string | null;
  readonly provider: string;
  readonly activated: boolean;
  readonly emailVerifiedAt?: Date | null;
  /** Role names. */
  readonly roles: readonly string[];
  /** Creator of the account; default: the user. */
  readonly by?: 'administrator';
  /** Actor in the audit log. Default: the user, or the operator for an administrator. */
  readonly actor?: string;
  readonly origin?: RequestOrigin;
}

export type Credentials = Pick<
  User,
  'id' | 'passwordHash' | 'activated' | 'credentialsVersion' | 'secondFactor' | 'emailKey' | 'emailVerifiedAt'
>;

const CREDENTIALS = `SELECT id, password_hash AS "passwordHash", activated, credentials_version AS "credentialsVersion",
  second_factor AS "secondFactor", email_key AS "emailKey", email_verified_at AS "emailVerifiedAt" FROM users`;
const BY_EMAIL = prepared<Credentials>('credentials-by-email', `${CREDENTIALS} WHERE email_key = $1`);
const BY_USERNAME = prepared<Credentials>('credentials-by-username', `${CREDENTIALS} WHERE username_key = $1`);

const GIVE_ROLES = 'INSERT INTO user_roles (user_id, role_id) SELECT $1, id FROM roles WHERE name = ANY($2)';

/** Finds and creates accounts. */
@Injectable()
export class UsersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly reservations: EmailReservations,
    private readonly lifecycle: AccountLifecycle,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Returns the account with this address, or with this username if the login is not an address. */
  async findByLogin(login: string): Promise<Credentials | null> {
    const mailbox = parseEmailAddress(login);
    if (mailbox === null && !isPossibleLogin(login)) return null;
    const [found] = await (mailbox === null
      ? BY_USERNAME(this.dataSource, [usernameKey(login)])
      : BY_EMAIL(this.dataSource, [mailbox.key]));
    return found ?? null;
  }

  /** Returns the credentials of the account with this address, or null. */
  async findByAddress(email: string): Promise<Credentials | null> {
    const mailbox = parseEmailAddress(email);
    return mailbox === null ? null : ((await BY_EMAIL(this.dataSource, [mailbox.key]))[0] ?? null);
  }

  /** Returns the account with this address, or null. */
  async findByEmail(email: string): Promise<User | null> {
    const mailbox = parseEmailAddress(email);
    return mailbox === null ? null : this.dataSource.getRepository(User).findOneBy({ emailKey: mailbox.key });
  }

  /** Returns the account, or null. */
  async findById(id: string): Promise<User | null> {
    return this.dataSource.getRepository(User).findOneBy({ id });
  }

  /**
   * Rejects an address or username that is in use, and an address that is reserved for another account.
   *
   * @param userId the existing account that the address is for, if any.
   * @throws AppError `email_taken` or `username_taken`.
   */
  async assertFree(email: string, username?: string | null, userId?: string): Promise<void> {
    const users = this.dataSource.getRepository(User);
    await this.reservations.assertNone(this.dataSource.manager, emailKey(email), userId);
    if (await users.existsBy({ emailKey: emailKey(email) })) throw new AppError('email_taken');
    if (username !== undefined && username !== null && (await users.existsBy({ usernameKey: usernameKey(username) }))) {
      throw new AppError('username_taken');
    }
  }

  /**
   * Creates an account with its roles, in the caller's transaction.
   *
   * @throws AppError `email_taken` or `username_taken`, also if a concurrent transaction was faster.
   */
  async create(manager: EntityManager, input: NewUser): Promise<User> {
    const now = this.clock.now();
    const { roles: roleNames, by = 'person', actor: actorInput, origin, ...fields } = input;
    const username = input.username ?? null;
    const user = manager.getRepository(User).create({
      ...fields,
      id: newId(),
      credentialsVersion: 0,
      username,
      emailKey: emailKey(input.email),
      activatedAt: input.activated ? now : null,
      usernameKey: username === null ? null : usernameKey(username),
      createdAt: now,
      updatedAt: now,
    });
    try {
      await manager.insert(User, user);
    } catch (error) {
      throw duplicateError(error) ?? error;
    }
    await this.reservations.assertNone(manager, user.emailKey);
    await manager.query(GIVE_ROLES, [user.id, roleNames]);
    const actor = actorInput ?? (by === 'person' ? undefined : OPERATOR);
    const facts = { provider: user.provider, activated: user.activated, roles: roleNames };
    await this.audit.writeFor(manager, user.id, 'account.create', { actor, origin, facts });
    await this.lifecycle.runHooks('registered', manager, user.id, { method: user.provider, by });
    return user;
  }

  /**
   * Creates a placeholder account in the caller's transaction and returns its id. References to an erased account are replaced with it.
   * It contains no personal data and has no credentials.
   */
  async createPlaceholder(manager: EntityManager): Promise<string> {
    const [id, now] = [newId(), this.clock.now()];
    // Not a valid address, so it cannot be proven and receives no mail.
    const email = `${ERASED_ACCOUNT}-${newId()}`;
    const row = { id, email, emailKey: email, provider: ERASED_ACCOUNT, activated: false };
    await manager.insert(User, { ...row, createdAt: now, updatedAt: now });
    return id;
  }

  /** Stores a rehashed password, unless the password was changed in the meantime. */
  async renewHash(userId: string, oldHash: string, newHash: string): Promise<void> {
    await this.dataSource.getRepository(User).update({ id: userId, passwordHash: oldHash }, { passwordHash: newHash });
  }
}

/** Locks an account, in the caller's transaction. Sign-ins and revocations wait for each other by this lock. */
export async function lockAccount(manager: EntityManager, userId: string): Promise<void> {
  await manager.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
}

/** Locks and reads an account; null if there is none. */
export function findLocked(manager: EntityManager, where: FindOptionsWhere<User>): Promise<User | null> {
  return manager.findOne(User, { where, lock: { mode: 'for_no_key_update' } });
}

/** Maps a violated unique constraint to an error; null for other errors. */
export function duplicateError(error: unknown): AppError | null {
  const constraint = findViolatedUnique(error);
  if (constraint === 'users_email_key_unique') return new AppError('email_taken', { cause: error });
  if (constraint === 'users_username_key_unique') return new AppError('username_taken', { cause: error });
  return null;
}

/** Returns the form by which addresses are compared. The address is already validated. */
export function emailKey(email: string): string {
  return parseEmailAddress(email)?.key ?? email.toLowerCase();
}

/** Returns the comparison form: that of addresses for an address, else that of usernames. */
export function loginKey(login: string): string {
  return parseEmailAddress(login)?.key ?? usernameKey(login);
}

/** A name that is longer than any stored one needs no query. */
function isPossibleLogin(text: string): boolean {
  return text.length <= 200 && isStorable(text);
}
