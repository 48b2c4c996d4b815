import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DataSource, type EntityManager } from 'typeorm';
import { FreshProof } from '../../../identity/assurance/step-up/fresh-proof.service.js';
import { SignInMethods } from '../../../identity/auth/sign-in/sign-in-methods.service.js';
import { type AccountDataRequest, OnAccountExport } from '../../../identity/lifecycle/account-data.decorators.js';
import { AddressProofs } from '../../../identity/auth/address-proofs.service.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { findViolatedUnique } from '../../../platform/database/database.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { isUuid } from '../../../kernel/keys/random.js';
import { User } from '../../../identity/users/user.entity.js';
import { lockAccount } from '../../../identity/users/users.service.js';
import type { ProviderProfile } from '../providers/provider.types.js';
import { mailboxRefusal, provenMailbox } from './federated-entry.service.js';
import { IDENTITY_UNIQUE, LinkedIdentities } from './linked-identities.service.js';

/** One row of `GET /api/auth/identities`. */
@ApiSchema({ name: 'Identity' })
export class ListedIdentity {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty() readonly provider: string;
  @ApiProperty({ type: String, nullable: true }) readonly email: string | null;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly last_used_at: string;
}

interface IdentityRow extends Pick<ListedIdentity, 'id' | 'provider' | 'email'> {
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

interface Linking {
  readonly sessionId: string;
  readonly provider: string;
  readonly profile: ProviderProfile;
  readonly origin: RequestOrigin;
}

const LIST = `SELECT id, provider, email, created_at AS "createdAt", last_used_at AS "lastUsedAt" FROM identities
  WHERE user_id = $1 ORDER BY created_at`;
const EXPORT = `SELECT provider, issuer, subject, email, email_verified, created_at, last_used_at FROM identities
  WHERE user_id = $1 ORDER BY created_at`;
const IS_LINKED = 'SELECT 1 FROM identities WHERE user_id = $1 AND provider = $2 LIMIT 1';
const DELETE = 'DELETE FROM identities WHERE user_id = $1 AND id = $2';
const FIND_LINKING = `SELECT u.id FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = $1 AND s.expires_at > $2 AND u.activated FOR NO KEY UPDATE OF u, s`;

@Injectable()
export class IdentitiesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly proofs: AddressProofs,
    private readonly linked: LinkedIdentities,
    private readonly methods: SignInMethods,
    private readonly fresh: FreshProof,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  async list(userId: string): Promise<ListedIdentity[]> {
    const rows = await this.dataSource.query<IdentityRow[]>(LIST, [userId]);
    return rows.map(({ createdAt, lastUsedAt, ...identity }) => ({
      ...identity,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt.toISOString(),
    }));
  }

  /** @throws AppError `identity_not_found` if the account has no identity at a provider. */
  async assertLinked(userId: string, provider: string): Promise<void> {
    const found = await this.dataSource.query<unknown[]>(IS_LINKED, [userId, provider]);
    if (found.length === 0) throw new AppError('identity_not_found');
  }

  /** @throws AppError `record_not_found` if there is no such account. */
  async listOf(userId: string): Promise<ListedIdentity[]> {
    if (!isUuid(userId) || !(await this.dataSource.manager.existsBy(User, { id: userId })))
      throw new AppError('record_not_found');
    return this.list(userId);
  }

  /** Returns the identities of an account, with issuer and subject, for the data export. */
  @OnAccountExport('identities')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    return this.dataSource.query<object[]>(EXPORT, [userId]);
  }

  /**
   * Links an identity to the account of a session and notifies the owner. The session must still be valid.
   *
   * An account with an unproven address can link only an identity with the same, verified address. Otherwise a person who registered a
   * foreign address could keep access after its owner takes the account over.
   *
   * @throws AppError `token_invalid` if the session has ended, `identity_taken`, `email_not_verified`, `email_unusable`.
   */
  async link(linking: Linking): Promise<void> {
    try {
      await this.changes.transaction((manager, notify) => this.linkIn(manager, notify, linking));
    } catch (error) {
      throw findViolatedUnique(error) === IDENTITY_UNIQUE ? new AppError('identity_taken') : error;
    }
  }

  /** @throws AppError `token_invalid` if the session has ended, `identity_mismatch` if another account of the provider was used. */
  async prove({ sessionId, provider, profile, origin }: Linking): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const userId = await this.lockOwner(manager, sessionId);
      const isOwn = await this.linked.use(manager, userId, provider, profile);
      if (!isOwn) throw new AppError('identity_mismatch');
      await this.fresh.renewBy(manager, { userId, sessionId }, provider, origin);
    });
  }

  /** @throws AppError `identity_not_found`, or `last_way_in` if the account would have no sign-in method left. */
  async remove(userId: string, identityId: string, origin: RequestOrigin): Promise<void> {
    if (!isUuid(identityId)) throw new AppError('identity_not_found');
    await this.dataSource.transaction(async (manager) => {
      // Locks the account, so that the later of two concurrent removals sees the result of the earlier one.
      await lockAccount(manager, userId);
      const [, deleted] = await manager.query<[unknown, number]>(DELETE, [userId, identityId]);
      if (deleted === 0) throw new AppError('identity_not_found');
      if ((await this.methods.listFor(manager, userId)).length === 0) throw new AppError('last_way_in');
      await this.audit.writeFor(manager, userId, 'identity.unlink', { origin, facts: { identity: identityId } });
    });
  }

  /** Locks the account of a session. @throws AppError `token_invalid` if the session has ended. */
  private async lockOwner(manager: EntityManager, sessionId: string): Promise<string> {
    const [account] = await manager.query<{ id: string }[]>(FIND_LINKING, [sessionId, this.clock.now()]);
    if (account === undefined) throw new AppError('token_invalid');
    return account.id;
  }

  private async linkIn(
    manager: EntityManager,
    notify: Notify,
    { sessionId, provider, profile, origin }: Linking,
  ): Promise<void> {
    const userId = await this.lockOwner(manager, sessionId);
    const ownerId = await this.linked.findOwner(manager, profile);
    if (ownerId !== null && ownerId !== userId) throw new AppError('identity_taken');
    if (ownerId !== null && (await this.linked.use(manager, userId, provider, profile))) return;
    const user = await manager.findOneByOrFail(User, { id: userId });
    if (user.emailVerifiedAt === null) await this.proveAddress(manager, notify, { userId, sessionId, profile });
    const id = await this.linked.write(manager, userId, provider, profile);
    await this.audit.writeFor(manager, userId, 'identity.link', { origin, facts: { provider } });
    await this.linked.notifyOwner(manager, user, { provider, id });
  }

  /** Proves the address. The user has both the session and the address, so the password and the session are kept. */
  private async proveAddress(
    manager: EntityManager,
    notify: Notify,
    { userId, sessionId, profile }: Pick<Linking, 'sessionId' | 'profile'> & { readonly userId: string },
  ): Promise<void> {
    const mailbox = provenMailbox(profile);
    if (mailbox === null) throw mailboxRefusal(profile);
    const retained = { password: true, sessionId } as const;
    const proven = await this.proofs.accept(manager, notify, { userId, emailKey: mailbox.key, retained });
    if (proven === null) throw new AppError('email_not_verified');
  }
}
