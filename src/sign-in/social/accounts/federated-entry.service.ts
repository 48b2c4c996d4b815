import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountService } from '../../../identity/auth/account.service.js';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { AddressProofs, type ProvenAccount } from '../../../identity/auth/address-proofs.service.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { type EmailAddress, parseEmailAddress } from '../../../kernel/text/email-address.js';
import { User } from '../../../identity/users/user.entity.js';
import { findLocked } from '../../../identity/users/users.service.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import type { ProviderProfile } from '../providers/provider.types.js';
import { AdminGrants } from './admin-grants.service.js';
import { LinkedIdentities } from './linked-identities.service.js';

export interface EnteredAccount {
  readonly userId: string;
  readonly credentialsVersion: number;
  readonly granted: boolean;
  readonly secondFactor: boolean;
}

interface Entry {
  readonly manager: EntityManager;
  readonly notify: Notify;
  readonly provider: string;
  readonly profile: ProviderProfile;
  readonly origin: RequestOrigin;
}

/** Signs in to an existing account, by identity or by an address that the provider verified. */
@Injectable()
export class FederatedEntry {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly changes: ChangeNotifier,
    private readonly accounts: AccountService,
    private readonly credentials: AccountCredentials,
    private readonly proofs: AddressProofs,
    private readonly grants: AdminGrants,
    private readonly linked: LinkedIdentities,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Finds the account and links the identity if needed. A provider that verified the account's address proves it. If the address was
   * unproven, the account is taken over.
   *
   * @returns null if no account has the identity or the address.
   * @throws AppError `account_inactive`, `email_not_verified`, `email_unusable`.
   */
  enter(provider: string, profile: ProviderProfile, origin: RequestOrigin): Promise<EnteredAccount | null> {
    return this.changes.transaction(async (manager, notify) => {
      const entry = { manager, notify, provider, profile, origin };
      const user = (await this.byIdentity(entry)) ?? (await this.byAddress(entry));
      if (user === null) return null;
      if (!user.activated) throw new AppError('account_inactive');
      const granted = await this.grant(entry, user);
      const { credentialsVersion } = granted ? await manager.findOneByOrFail(User, { id: user.id }) : user;
      return { userId: user.id, credentialsVersion, granted, secondFactor: user.secondFactor };
    });
  }

  private async byIdentity(entry: Entry): Promise<User | null> {
    const { manager, provider, profile } = entry;
    const userId = await this.linked.findOwner(manager, profile);
    if (userId === null) return null;
    const emailKey = provenMailbox(profile)?.key;
    const proven = emailKey === undefined ? null : await this.prove(entry, userId, emailKey);
    if (proven?.isTakeover === true) return this.admit(entry, proven);
    const user = proven?.user ?? (await findLocked(manager, { id: userId }));
    // A concurrent request unlinked the identity.
    if (!(await this.linked.use(manager, userId, provider, profile))) return null;
    return user;
  }

  private async byAddress(entry: Entry): Promise<User | null> {
    const { manager, profile } = entry;
    const mailbox = provenMailbox(profile);
    if (mailbox === null) throw mailboxRefusal(profile);
    const found = await manager.findOne(User, { where: { emailKey: mailbox.key }, select: { id: true } });
    const proven = found === null ? null : await this.prove(entry, found.id, mailbox.key);
    if (proven === null) return null;
    return this.admit(entry, proven);
  }

  private prove({ manager, notify }: Entry, userId: string, emailKey: string): Promise<ProvenAccount | null> {
    return this.proofs.accept(manager, notify, { userId, emailKey });
  }

  /** Links the identity. An account that waits for activation by mail is activated, because the mailbox is proven. */
  private async admit(entry: Entry, { user, isTakeover }: ProvenAccount): Promise<User> {
    const { manager, notify, provider, profile, origin } = entry;
    const id = await this.linked.write(manager, user.id, provider, profile);
    await this.audit.writeFor(manager, user.id, 'identity.link', {
      origin,
      facts: { provider, takenOver: isTakeover },
    });
    if (!isTakeover) {
      await this.linked.notifyOwner(manager, user, { provider, id });
      return user;
    }
    await this.proofs.notifyOwner(manager, user);
    const activatesByMail = this.config.auth.local.activationMethod === 'email';
    const isActive =
      user.activated || (activatesByMail && (await this.accounts.activateNewAccount(manager, notify, user.id)));
    return { ...user, activated: isActive };
  }

  /** Grants the admin role. Every other credential of the account is revoked, so that only this identity opens it. */
  private async grant({ manager, notify, provider, profile }: Entry, user: User): Promise<boolean> {
    const granted = await this.grants.grantOnce(manager, notify, user.id, profile);
    if (!granted) return false;
    await this.credentials.revokeAll(manager, notify, user.id);
    await this.linked.write(manager, user.id, provider, profile);
    await this.proofs.notifyOwner(manager, user);
    return true;
  }
}

/** Returns the mailbox that the provider verified; null if it verified none or the address is invalid. */
export function provenMailbox({ email, emailVerified }: ProviderProfile): EmailAddress | null {
  return email !== null && emailVerified ? parseEmailAddress(email) : null;
}

/** Returns the error for a profile without a {@link provenMailbox}, with the cause for the log. */
export function mailboxRefusal({ email, emailVerified }: ProviderProfile): AppError {
  if (email === null) return notVerified('email: the provider sent no text of a valid length');
  if (!emailVerified) return notVerified('email: the provider does not report it as verified');
  return new AppError('email_unusable', {
    cause: new Error('email: the provider sent text that is not an e-mail address'),
  });
}

function notVerified(reason: string): AppError {
  return new AppError('email_not_verified', { cause: new Error(reason) });
}
