import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChangeNotifier, type Notify } from '../../platform/events/change-notifier.service.js';
import { Clock } from '../../kernel/clock.port.js';
import { Mailer } from '../../platform/mail/mailer.port.js';
import { User } from '../users/user.entity.js';
import { mailAccount } from '../users/users.public.js';
import { findLocked } from '../users/users.service.js';
import { AccountCredentials, type RetainedCredentials } from './credentials/account-credentials.service.js';

/** Proof of the address of an account, by a mailed secret or by a provider. */
export interface AddressProof {
  readonly userId: string;
  /** The proven address, in its comparison form. */
  readonly emailKey: string;
  /** Credentials version of the account before the proof was checked; omitted if the account has been locked since. */
  readonly credentialsVersion?: number;
  /** Credentials to keep, because the user who proves the address also presents them. */
  readonly retained?: RetainedCredentials;
}

export interface ProvenAccount {
  readonly user: User;
  /** Whether this was the first proof, which revoked earlier credentials. */
  readonly isTakeover: boolean;
}

/**
 * Every proof of a mailbox uses this service (ADR 0018). Anybody can register an address. The user who
 * proves it first takes the account over: the earlier password, sessions, identities and pending changes are revoked.
 */
@Injectable()
export class AddressProofs {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly credentials: AccountCredentials,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /** Locks the account. Returns null if its address or credentials have changed since the proof was checked, or it was deleted. */
  async accept(manager: EntityManager, notify: Notify, proof: AddressProof): Promise<ProvenAccount | null> {
    const { userId, emailKey, credentialsVersion, retained = {} } = proof;
    const user = await findLocked(manager, { id: userId });
    if (user?.emailKey !== emailKey || user.credentialsVersion !== (credentialsVersion ?? user.credentialsVersion))
      return null;
    if (user.emailVerifiedAt !== null) return { user, isTakeover: false };
    const now = this.clock.now();
    await manager.update(User, { id: userId }, { emailVerifiedAt: now, updatedAt: now });
    await this.credentials.revokeAll(manager, notify, userId, { retained });
    return { user: await manager.findOneByOrFail(User, { id: userId }), isTakeover: true };
  }

  /**
   * Accepts a proof that was checked outside a transaction, and notifies the owner of a takeover.
   *
   * @param user the account before the proof was checked.
   * @returns the credentials version for the new session; null if the proof is not valid any more.
   */
  async settle(
    user: Pick<User, 'id' | 'credentialsVersion' | 'emailKey' | 'emailVerifiedAt'>,
    emailKey: string,
  ): Promise<number | null> {
    const { id: userId, credentialsVersion } = user;
    if (user.emailKey !== emailKey) return null;
    if (user.emailVerifiedAt !== null) return credentialsVersion;
    return this.changes.transaction(async (manager, notify) => {
      const proven = await this.accept(manager, notify, { userId, emailKey, credentialsVersion });
      if (proven?.isTakeover === true) await this.notifyOwner(manager, proven.user);
      return proven?.user.credentialsVersion ?? null;
    });
  }

  /** Runs in the caller's transaction. The mail omits the name, because another person may have chosen it. */
  async notifyOwner(manager: EntityManager, user: User): Promise<void> {
    await mailAccount(this.mailer, manager, user, { template: 'account-secured', name: null, variables: {} });
  }
}
