import { mailAddressee } from '../../../identity/users/users.public.js';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { FreshProof } from '../../../identity/auth/sign-in/fresh-proof.service.js';
import { SERVICE_ACCOUNT, User } from '../../../identity/users/user.entity.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { type AccountPrincipal, GUEST, type RequestOrigin } from '../../../kernel/principal.types.js';
import { actorOf } from '../../../platform/audit/audit.public.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { Mailer, type MailVariables } from '../../../platform/mail/mailer.port.js';
import { RevocationLinks } from '../../../identity/auth/credentials/revocation-links.service.js';
import { apiKeyHash } from '../../../kernel/keys/api-key-format.js';
import { ApiKeys, type KeyOwner, type KeyRequest } from '../api-keys.service.js';
import type { KeyDto, RotateDto } from '../api-keys.dto.js';
import type { IssuedKey } from '../api-keys.types.js';
import { KeyScopes } from '../scopes/key-scopes.service.js';

const IS_LIVING = 'SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND expires_at > $3';
const DEFAULT_OVERLAP_HOURS = 24;

/** API keys of users. Creating one requires a fresh proof, and the owner is notified by mail (THREATS, "Proof of an address"). */
@Injectable()
export class OwnKeys {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly keys: ApiKeys,
    private readonly scopes: KeyScopes,
    private readonly proof: FreshProof,
    private readonly links: RevocationLinks,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `validation_failed`, `too_many_keys`, and the errors of a fresh proof. */
  async create(account: AccountPrincipal, body: KeyDto, client: ClientContext): Promise<IssuedKey> {
    const request = this.scopes.read(body);
    await this.proof.assertForCredential(account, body.current_password, client);
    return this.dataSource.transaction(async (manager) =>
      this.make(manager, { ...(await this.admit(manager, account)), origin: client }, request),
    );
  }

  /**
   * Creates a key and notifies its owner by mail, in the caller's transaction. The account must be locked.
   *
   * @throws AppError `too_many_keys`
   */
  async make(manager: EntityManager, owner: KeyOwner, request: KeyRequest): Promise<IssuedKey> {
    return this.notifyOwner(manager, owner, await this.keys.create(manager, owner, request));
  }

  /** @throws AppError `key_not_found`, `key_rotated`, and the errors of {@link create}. */
  async rotate(account: AccountPrincipal, id: string, body: RotateDto, client: ClientContext): Promise<IssuedKey> {
    await this.proof.assertForCredential(account, body.current_password, client);
    const rotated = { id, overlapHours: body.overlap_hours ?? DEFAULT_OVERLAP_HOURS };
    return this.changes.transaction(async (manager, notify) =>
      this.replace(manager, notify, { ...(await this.admit(manager, account)), origin: client }, rotated),
    );
  }

  /**
   * Creates a key that replaces another one and notifies its owner by mail, in the caller's transaction. The account must be locked.
   *
   * @throws AppError `key_not_found`, `key_rotated`, `too_many_keys`
   */
  async replace(
    manager: EntityManager,
    notify: Notify,
    owner: KeyOwner,
    rotated: { readonly id: string; readonly overlapHours: number },
  ): Promise<IssuedKey> {
    return this.notifyOwner(manager, owner, await this.keys.rotate(manager, notify, owner, rotated));
  }

  /** Revokes a reported key and notifies its owner. Any other text is ignored. */
  async report(text: string, origin: RequestOrigin): Promise<void> {
    const keyHash = apiKeyHash(text.trim());
    if (keyHash === null) return;
    await this.changes.transaction(async (manager, notify) => {
      const ended = await this.keys.removeFound(manager, notify, keyHash, { actor: actorOf(GUEST), origin });
      if (ended !== null) {
        const { userId, prefix } = ended;
        await this.mail(manager, userId, { template: 'api-key-reported', variables: { prefix } });
      }
    });
  }

  /** Locks the account and checks the session. A concurrent end of the session or revocation of keys is serialised with it. */
  private async admit(manager: EntityManager, { userId, sessionId }: AccountPrincipal): Promise<KeyOwner> {
    await this.keys.lockOwner(manager, userId);
    const living = await manager.query<unknown[]>(IS_LIVING, [sessionId, userId, this.clock.now()]);
    if (living.length === 0) throw new AppError('token_invalid');
    return { userId, kind: 'pat' };
  }

  private async notifyOwner(manager: EntityManager, { userId }: KeyOwner, key: IssuedKey): Promise<IssuedKey> {
    const { id, prefix } = key;
    const revokeLink = await this.links.issue(manager, userId, { kind: 'keys', id });
    await this.mail(manager, userId, { template: 'api-key-created', variables: { prefix, revokeLink } });
    return key;
  }

  private async mail<T extends 'api-key-created' | 'api-key-reported'>(
    manager: EntityManager,
    userId: string,
    { template, variables }: { readonly template: T; readonly variables: MailVariables[T] },
  ): Promise<void> {
    const user = await manager.findOneBy(User, { id: userId });
    const addressee = user === null || user.provider === SERVICE_ACCOUNT ? null : mailAddressee(user);
    if (addressee === null) return;
    await this.mailer.enqueue(manager, { template, ...addressee, variables });
  }
}
