import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { ClientContext } from '../../identity/auth/auth.public.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import { SERVICE_ACCOUNT, User } from '../../identity/users/user.entity.js';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { parseEmailAddress } from '../../kernel/email-address.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { Mailer } from '../../platform/mail/mailer.port.js';
import { API_KEY_TOPIC } from './api-key-directory.service.js';
import { apiKeyHash } from '../../kernel/api-key-format.js';
import { ApiKeys, type KeyOwner } from './api-keys.service.js';
import type { KeyDto, RotateDto } from './api-keys.dto.js';
import type { IssuedKey } from './api-keys.types.js';
import { KeyScopes } from './key-scopes.service.js';

const IS_LIVING = 'SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND expires_at > $3';
const END_FOUND = 'DELETE FROM api_keys WHERE key_hash = $1 RETURNING user_id AS "userId", prefix';
const DEFAULT_OVERLAP_HOURS = 24;

/** The keys of people: made after a fresh proof of who they are, and told to the owner by mail (THREATS, "Proof of an address"). */
@Injectable()
export class OwnKeys {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly keys: ApiKeys,
    private readonly scopes: KeyScopes,
    private readonly proof: FreshProof,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `validation_failed`, `too_many_keys`, and what a fresh proof is refused with. */
  async create(account: AccountPrincipal, body: KeyDto, client: ClientContext): Promise<IssuedKey> {
    const request = this.scopes.read(body);
    await this.proof.assertRecentOr(account, body.current_password, client);
    return this.dataSource.transaction(async (manager) => {
      const owner = { ...(await this.admit(manager, account)), origin: client };
      return this.told(manager, owner, await this.keys.create(manager, owner, request));
    });
  }

  /** @throws AppError `key_not_found`, `key_rotated`, and what {@link create} throws. */
  async rotate(account: AccountPrincipal, id: string, body: RotateDto, client: ClientContext): Promise<IssuedKey> {
    await this.proof.assertRecentOr(account, body.current_password, client);
    const rotated = { id, overlapHours: body.overlap_hours ?? DEFAULT_OVERLAP_HOURS };
    return this.changes.transaction(async (manager, notify) => {
      const owner = { ...(await this.admit(manager, account)), origin: client };
      return this.told(manager, owner, await this.keys.rotate(manager, notify, owner, rotated));
    });
  }

  /** Ends a key that somebody found, and tells its owner. What is no key is passed over. */
  async report(text: string): Promise<void> {
    const keyHash = apiKeyHash(text.trim());
    if (keyHash === null) return;
    await this.changes.transaction(async (manager, notify) => {
      const [[ended]] = await manager.query<[{ userId: string; prefix: string }[], number]>(END_FOUND, [keyHash]);
      if (ended === undefined) return;
      notify(API_KEY_TOPIC, keyHash);
      await this.mail(manager, 'api-key-reported', ended);
    });
  }

  /** Locks the account. Whatever ended its session, and its keys with it, came before or comes after. */
  private async admit(manager: EntityManager, { userId, sessionId }: AccountPrincipal): Promise<KeyOwner> {
    await this.keys.lockOwner(manager, userId);
    const living = await manager.query<unknown[]>(IS_LIVING, [sessionId, userId, this.clock.now()]);
    if (living.length === 0) throw new AppError('token_invalid');
    return { userId, kind: 'pat' };
  }

  private async told(manager: EntityManager, { userId }: KeyOwner, key: IssuedKey): Promise<IssuedKey> {
    await this.mail(manager, 'api-key-created', { userId, prefix: key.prefix });
    return key;
  }

  private async mail(
    manager: EntityManager,
    template: 'api-key-created' | 'api-key-reported',
    { userId, prefix }: { readonly userId: string; readonly prefix: string },
  ): Promise<void> {
    const user = await manager.findOneBy(User, { id: userId });
    const to = user === null || user.provider === SERVICE_ACCOUNT ? undefined : parseEmailAddress(user.email)?.ascii;
    if (to !== undefined)
      await this.mailer.enqueue(manager, { template, to, name: user?.firstName, variables: { prefix } });
  }
}
