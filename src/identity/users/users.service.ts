import { isStorable } from '../../kernel/text/storable-text.js';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { findViolatedUnique, prepared } from '../../platform/database/database.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';
import { newId } from '../../kernel/keys/random.js';
import { accountActor, defineAuditActions, factsOf, OPERATOR } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { SignInLife } from '../life/sign-in-life.service.js';
import { EmailReservations } from './email-reservations.service.js';
import { Role } from './roles/role.entity.js';
import { ERASED_ACCOUNT, User } from './user.entity.js';
import { UserRole } from './roles/user-role.entity.js';
import { usernameKey } from './username.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';

const ACTIONS = defineAuditActions('Accounts', {
  'account.create': 'A person signed up, or an operator made the account.',
  'account.activate': 'The account may sign in.',
  'account.deactivate': 'The account may not sign in any more.',
  'account.email': 'The account has another address, or has the one before again.',
  'account.password': 'The account has another password, or none any more.',
  'account.update': 'A person changed what they say of themselves.',
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

/** Finds and creates accounts. */
@Injectable()
export class UsersService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reservations: EmailReservations,
    private readonly life: SignInLife,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Returns the account with this address, or with this username if the login is not an address. */
  async findByLogin(login: string): Promise<Credentials | null> {
    const mailbox = parseEmailAddress(login);
    if (mailbox === null && !mayBeKnown(login)) return null;
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
    const { roles: roleNames, by = 'person', actor: given, origin, ...fields } = input;
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
      throw takenError(error) ?? error;
    }
    await this.reservations.assertNone(manager, user.emailKey);
    const roles = await manager.find(Role, { where: { name: In([...roleNames]) }, select: { id: true } });
    await manager.insert(
      UserRole,
      roles.map(({ id: roleId }) => ({ userId: user.id, roleId })),
    );
    const actor = given ?? (by === 'person' ? accountActor(user.id) : OPERATOR);
    const changes = factsOf({ provider: user.provider, activated: user.activated, roles: roleNames });
    const event = { action: 'account.create', actor, resource: `user:${user.id}`, origin, changes, at: now } as const;
    await this.audit.write(manager, event);
    await this.life.tell('registered', manager, user.id, { method: user.provider, by });
    return user;
  }

  /**
   * Creates a placeholder account in the caller's transaction and returns its id. References to an erased account are replaced with it
   * (CONTRACT §9). It contains no personal data and has no credentials.
   */
  async createNameless(manager: EntityManager): Promise<string> {
    const [id, now] = [newId(), this.clock.now()];
    // Not a valid address, so it cannot be proven and receives no mail.
    const email = `${ERASED_ACCOUNT}-${newId()}`;
    const row = {
      id,
      email,
      emailKey: email,
      provider: ERASED_ACCOUNT,
      activated: false,
      createdAt: now,
      updatedAt: now,
    };
    await manager.insert(User, row);
    return id;
  }

  /** Stores a rehashed password, unless the password was changed in the meantime. */
  async renewHash(userId: string, oldHash: string, newHash: string): Promise<void> {
    await this.dataSource.getRepository(User).update({ id: userId, passwordHash: oldHash }, { passwordHash: newHash });
  }
}

/** Maps a violated unique constraint to an error; null for other errors. */
export function takenError(error: unknown): AppError | null {
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
function mayBeKnown(text: string): boolean {
  return text.length <= 200 && isStorable(text);
}
