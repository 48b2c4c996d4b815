import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { NewSession } from '../../auth/session.service.js';
import { ChangeFeed, type Notify } from '../../database/change-feed.js';
import { findViolatedUnique } from '../../database/database-faults.js';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { type EmailAddress, parseEmailAddress } from '../../kernel/email-address.js';
import { RegistrationGate } from '../../registration-policy/registration-gate.service.js';
import { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { ProviderProfile } from '../providers/provider.types.js';
import { AdminGrants } from './admin-grants.service.js';
import { IDENTITY_UNIQUE, useIdentity, writeIdentity } from './identity-rows.js';

interface AccountRow {
  readonly id: string;
  readonly activated: boolean;
  readonly proven: boolean;
}

/** Whose login it is. */
export type FederatedLogin = Pick<NewSession, 'userId' | 'credentialsVersion'>;

/** Whose login it is, and whether it made them an administrator. */
interface SignedIn extends FederatedLogin {
  readonly granted: boolean;
}

/** Two first logins at once may each lose to the other once; a third try meets settled rows. */
const TRIES = 3;
const FIND_BY_EMAIL = `SELECT id, activated, email_verified_at IS NOT NULL AS proven FROM users WHERE email_key = $1 FOR NO KEY UPDATE`;

/**
 * From a proven person at a provider to an account here (THREATS, "Federated login"): by issuer and subject; for a stranger
 * by an address that the provider verified and that the account itself has proven; else a new account, after the
 * registration policy and its hooks.
 */
@Injectable()
export class FederatedAccounts {
  private readonly logger = new Logger('Social');

  constructor(
    private readonly changes: ChangeFeed,
    private readonly gate: RegistrationGate,
    private readonly users: UsersService,
    private readonly grants: AdminGrants,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds or makes the account, and answers which it is.
   *
   * @throws AppError `account_inactive`, `email_not_verified`, `email_taken_by_other_method`, and what
   * {@link RegistrationGate.admit} throws.
   */
  async resolve(provider: string, profile: ProviderProfile): Promise<FederatedLogin> {
    for (let tries = 1; ; tries += 1) {
      try {
        const { granted, ...login } = (await this.enter(provider, profile)) ?? (await this.register(provider, profile));
        if (granted)
          this.logger.log({ userId: login.userId, provider, msg: 'The admin role was granted by AUTH_ADMIN_EMAILS.' });
        return login;
      } catch (error) {
        if (tries === TRIES || !isLostRace(error)) throw error;
      }
    }
  }

  /** Somebody who is known, by identity or by address; null where nobody is. */
  private enter(provider: string, profile: ProviderProfile): Promise<SignedIn | null> {
    return this.changes.transaction(async (manager, notify) => {
      const owner =
        (await useIdentity(manager, provider, profile, this.clock.now())) ??
        (await this.join(manager, provider, profile));
      if (owner === null) return null;
      if (!owner.activated) throw new AppError('account_inactive');
      return this.grant(manager, notify, owner.id, profile);
    });
  }

  /** Joins the identity to the account with its address, where both sides have proven it. */
  private async join(
    manager: EntityManager,
    provider: string,
    profile: ProviderProfile,
  ): Promise<Omit<AccountRow, 'proven'> | null> {
    const mailbox = verifiedMailbox(profile);
    const [account] = await manager.query<AccountRow[]>(FIND_BY_EMAIL, [mailbox.key]);
    if (account === undefined) return null;
    // Whoever registered the address before may not be its owner: nothing of theirs is opened, and nothing given to them.
    if (!account.proven) throw new AppError('email_taken_by_other_method');
    await writeIdentity(manager, account.id, provider, profile, this.clock.now());
    return account;
  }

  private async register(provider: string, profile: ProviderProfile): Promise<SignedIn> {
    const mailbox = verifiedMailbox(profile);
    const { firstName, lastName, subject, claims } = profile;
    const signUp = { email: mailbox.address, provider, providerId: subject, profile: claims };
    const { email, username } = await this.gate.admit(signUp);
    return this.changes.transaction(async (manager, notify) => {
      const now = this.clock.now();
      const user = await this.users.create(manager, {
        email,
        username,
        firstName,
        lastName,
        passwordHash: null,
        provider,
        activated: true,
        // A hook may have put another address there, which nobody has proven.
        emailVerifiedAt: parseEmailAddress(email)?.key === mailbox.key ? now : null,
        roles: ['user'],
      });
      await writeIdentity(manager, user.id, provider, profile, now);
      return this.grant(manager, notify, user.id, profile);
    });
  }

  private async grant(
    manager: EntityManager,
    notify: Notify,
    userId: string,
    profile: ProviderProfile,
  ): Promise<SignedIn> {
    const granted = await this.grants.grantOnce(manager, notify, userId, profile);
    const where = { id: userId };
    const { credentialsVersion } = await manager.findOneOrFail(User, { where, select: { credentialsVersion: true } });
    return { userId, credentialsVersion, granted };
  }
}

/** @throws AppError `email_not_verified` where the provider proved no address, or what it proved is none. */
function verifiedMailbox({ email, emailVerified }: ProviderProfile): EmailAddress {
  const mailbox = email !== null && emailVerified ? parseEmailAddress(email) : null;
  if (mailbox === null) throw new AppError('email_not_verified');
  return mailbox;
}

/** Whether another login of the same person was faster: looked at again, its account is found. */
function isLostRace(error: unknown): boolean {
  return (error instanceof AppError && error.code === 'email_taken') || findViolatedUnique(error) === IDENTITY_UNIQUE;
}
