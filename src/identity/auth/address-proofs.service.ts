import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChangeNotifier, type Notify } from '../../platform/events/change-notifier.service.js';
import { Clock } from '../../kernel/clock.port.js';
import { Mailer } from '../../platform/mail/mailer.port.js';
import { User } from '../users/user.entity.js';
import { mailAddressee } from '../users/users.public.js';
import { AccountCredentials, type KeptCredentials } from './credentials/account-credentials.service.js';

/** The address of an account was proven: by a mailed secret, or by a provider. */
export interface AddressProof {
  readonly userId: string;
  /** The proven address, in the form by which addresses are compared. */
  readonly emailKey: string;
  /** The account's credentials version before the proof was judged; left out if the account has been locked since. */
  readonly credentialsVersion?: number;
  /** Credentials that stay, since whoever brings the proof brings them too. */
  readonly kept?: KeptCredentials;
}

/** An account whose address is proven. */
export interface ProvenAccount {
  readonly user: User;
  /** Whether the proof was the first, and ended what the account had gathered before. */
  readonly takenOver: boolean;
}

/**
 * The one step of every proof of a mailbox (THREATS, "Proof of an address"; ADR 0018). Anybody can register an address.
 * Who proves it first takes the account over from who registered it: the password, sessions, identities and pending
 * changes of before end with the proof.
 */
@Injectable()
export class AddressProofs {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly credentials: AccountCredentials,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes a proof, in the caller's transaction, and locks the account.
   *
   * @returns null if the account is gone, has another address by now, or was changed since the proof was judged.
   */
  async accept(manager: EntityManager, notify: Notify, proof: AddressProof): Promise<ProvenAccount | null> {
    const { userId, emailKey, credentialsVersion, kept = {} } = proof;
    const lock = { mode: 'for_no_key_update' } as const;
    const user = await manager.findOne(User, { where: { id: userId }, lock });
    if (user?.emailKey !== emailKey || user.credentialsVersion !== (credentialsVersion ?? user.credentialsVersion))
      return null;
    if (user.emailVerifiedAt !== null) return { user, takenOver: false };
    const now = this.clock.now();
    await manager.update(User, { id: userId }, { emailVerifiedAt: now, updatedAt: now });
    await this.credentials.revokeAll(manager, notify, userId, { kept });
    return { user: await manager.findOneByOrFail(User, { id: userId }), takenOver: true };
  }

  /**
   * Takes a proof that was judged outside of a transaction, and tells the owner if it took the account over.
   *
   * @param user the account as it was before the proof was judged.
   * @returns the credentials version under which a session may begin, or null if the proof does not hold (any more).
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
      if (proven?.takenOver === true) await this.tellOwner(manager, proven.user);
      return proven?.user.credentialsVersion ?? null;
    });
  }

  /** Notifies the owner, in the caller's transaction, that earlier credentials were revoked. Another person may have chosen the name. */
  async tellOwner(manager: EntityManager, user: User): Promise<void> {
    const addressee = mailAddressee({ ...user, emailVerifiedAt: null });
    if (addressee === null) return;
    await this.mailer.enqueue(manager, { template: 'account-secured', ...addressee, variables: {} });
  }
}
