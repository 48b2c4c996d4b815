import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountCredentials } from '../../identity/auth/credentials/account-credentials.service.js';
import { type AccountDataRequest, OnAccountExport } from '../../identity/lifecycle/account-data.decorators.js';
import { SERVICE_ACCOUNT, User } from '../../identity/users/user.entity.js';
import { mailAccount } from '../../identity/users/users.public.js';
import { lockAccount } from '../../identity/users/users.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { GUEST, type KeyScope, type RequestOrigin } from '../../kernel/principal.types.js';
import { isUuid, newId } from '../../kernel/keys/random.js';
import { actorOf, defineAuditActions } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { ChangeNotifier, type Notify } from '../../platform/events/change-notifier.service.js';
import { Mailer, type MailVariables } from '../../platform/mail/mailer.port.js';
import { API_KEY_TOPIC } from './api-key-directory.service.js';
import { ApiKey } from './api-key.entity.js';
import { apiKeyHash, type ApiKeyKind, createApiKey } from '../../kernel/keys/api-key-format.js';
import type { IssuedKey, ListedKey } from './api-keys.dto.js';
import { defineLimit } from '../../kernel/limits.js';

const ACTIONS = defineAuditActions('API keys', {
  'key.create': 'An API key was created.',
  'key.end': 'An API key was revoked.',
  'account.remove': 'A service account and its keys were deleted.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** Actor of a change to keys, and its request. Default: the owner. */
export interface KeyActor {
  readonly actor?: string;
  readonly origin?: RequestOrigin;
  /** Set if the key was reported as found. */
  readonly reason?: 'reported';
}

export interface KeyOwner extends KeyActor {
  readonly userId: string;
  readonly kind: ApiKeyKind;
}

/** A key to create. Its scopes must be validated. */
export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly KeyScope[] | null;
  /** Networks that the key can be used from; null for everywhere. */
  readonly addresses: readonly string[] | null;
  /** Version of the schemas that the scopes were validated with. */
  readonly schemaVersion: number;
  /** Null for a key that does not expire. */
  readonly lifetimeMs: number | null;
  readonly replaces?: string;
}

const MAX_KEYS = defineLimit(50, 'API keys', 'valid keys of one account', 'too_many_keys');
const COUNT =
  'SELECT count(*)::int AS count FROM api_keys WHERE user_id = $1 AND (expires_at IS NULL OR expires_at > $2)';
/** Only one of several concurrent rotations finds the key. */
const ROTATE = `WITH before AS (
    SELECT id, expires_at FROM api_keys
    WHERE id = $1 AND user_id = $2 AND rotated_at IS NULL AND (expires_at IS NULL OR expires_at > $3::timestamptz) FOR UPDATE
  )
  UPDATE api_keys k SET rotated_at = $3, expires_at = least(k.expires_at, $4::timestamptz) FROM before
  WHERE k.id = before.id
  RETURNING k.name, k.scopes, k.addresses, k.schema_version AS "schemaVersion", k.key_hash AS "keyHash",
    round(extract(epoch FROM before.expires_at - k.created_at) * 1000)::float8 AS "lifetimeMs"`;
const RETURNING_KEY = 'RETURNING id, user_id AS "userId", prefix, key_hash AS "keyHash"';
const REVOKE = `DELETE FROM api_keys WHERE id = $1 AND user_id = $2 ${RETURNING_KEY}`;
const REVOKE_BY_HASH = `DELETE FROM api_keys WHERE key_hash = $1 ${RETURNING_KEY}`;
const HOUR_MS = 3_600_000;

/** Properties of a rotated key that the new one inherits. */
interface RotatedRow extends KeyRequest {
  readonly keyHash: string;
}

interface RevokedKey {
  readonly id: string;
  readonly userId: string;
  readonly prefix: string;
  readonly keyHash: string;
}

/** Columns of a key that are public: all except its hash. */
type KeyColumns = Pick<
  ApiKey,
  'id' | 'name' | 'prefix' | 'scopes' | 'addresses' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'rotatedAt'
>;

@Injectable()
export class ApiKeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly credentials: AccountCredentials,
    private readonly mailer: Mailer,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the account before keys are created, in the caller's transaction. A concurrent deactivation or revocation of keys is serialised
   * with it.
   */
  async lockOwner(manager: EntityManager, userId: string): Promise<void> {
    await lockAccount(manager, userId);
  }

  /**
   * Creates a key in the caller's transaction, and notifies its owner by mail. The account must be locked.
   *
   * @throws AppError `too_many_keys`
   */
  async create(manager: EntityManager, owner: KeyOwner, request: KeyRequest): Promise<IssuedKey> {
    const { userId, kind, actor, origin } = owner;
    const { name, scopes, addresses, schemaVersion, lifetimeMs } = request;
    const createdAt = this.clock.now();
    const [row] = await manager.query<{ count: number }[]>(COUNT, [userId, createdAt]);
    if (row === undefined || row.count >= MAX_KEYS) throw new AppError('too_many_keys');
    const { key, prefix, keyHash } = createApiKey(kind);
    const apiKey = manager.create(ApiKey, {
      id: newId(),
      userId,
      name,
      prefix,
      keyHash,
      scopes,
      addresses,
      schemaVersion,
      createdAt,
      expiresAt: lifetimeMs === null ? null : new Date(createdAt.getTime() + lifetimeMs),
      rotatedAt: null,
      warnedAt: null,
      lastUsedAt: null,
    });
    await manager.insert(ApiKey, apiKey);
    const facts = { user: userId, scopes, addresses, replaces: request.replaces };
    await this.audit.writeFor(manager, userId, 'key.create', { actor, origin, resource: `key:${apiKey.id}`, facts });
    if (kind === 'pat') {
      const revokeLink = await this.credentials.revocationLink(manager, userId, { kind: 'keys', id: apiKey.id });
      await this.mail(manager, userId, 'api-key-created', { prefix, revokeLink });
    }
    return { ...listedKey(apiKey), key };
  }

  /**
   * Replaces a key like {@link create}. The old key stays valid for `overlapHours`.
   *
   * @throws AppError `key_not_found`; `key_rotated` for a second rotation; `too_many_keys`.
   */
  async rotate(
    manager: EntityManager,
    notify: Notify,
    owner: KeyOwner,
    { id, overlapHours }: { readonly id: string; readonly overlapHours: number },
  ): Promise<IssuedKey> {
    if (!isUuid(id)) throw new AppError('key_not_found');
    const now = this.clock.now();
    const values = [id, owner.userId, now, new Date(now.getTime() + overlapHours * HOUR_MS)];
    const [[before]] = await manager.query<[RotatedRow[], number]>(ROTATE, values);
    if (before === undefined) throw await this.notRotated(manager, owner, id);
    notify(API_KEY_TOPIC, before.keyHash);
    return this.create(manager, owner, { ...before, replaces: id });
  }

  /**
   * Revokes a key.
   *
   * @param within the transaction of the caller, if there is one.
   * @throws AppError `key_not_found`, also for a key of another account.
   */
  async remove(userId: string, id: string, by: KeyActor = {}, within?: EntityManager): Promise<void> {
    if (!isUuid(id)) throw new AppError('key_not_found');
    await this.changes.transaction(async (manager, notify) => {
      if ((await this.end(manager, notify, { text: REVOKE, values: [id, userId], by })) === null)
        throw new AppError('key_not_found');
    }, within);
  }

  /** Revokes a reported key and notifies its owner. Any other text is ignored. */
  async report(text: string, origin: RequestOrigin): Promise<void> {
    const keyHash = apiKeyHash(text.trim());
    if (keyHash === null) return;
    const by = { actor: actorOf(GUEST), origin, reason: 'reported' } as const;
    await this.changes.transaction(async (manager, notify) => {
      const revoked = await this.end(manager, notify, { text: REVOKE_BY_HASH, values: [keyHash], by });
      if (revoked !== null) await this.mail(manager, revoked.userId, 'api-key-reported', { prefix: revoked.prefix });
    });
  }

  @OnAccountExport('api_keys')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    return this.list(userId);
  }

  /** Returns the keys of an account, newest first. Recently expired keys are included. */
  async list(userId: string): Promise<ListedKey[]> {
    const order = { createdAt: 'DESC', id: 'DESC' } as const;
    const rows = await this.dataSource.getRepository(ApiKey).find({ where: { userId }, order });
    return rows.map(listedKey);
  }

  private async end(
    manager: EntityManager,
    notify: Notify,
    { text, values, by }: { readonly text: string; readonly values: readonly unknown[]; readonly by: KeyActor },
  ): Promise<RevokedKey | null> {
    const [[revoked]] = await manager.query<[RevokedKey[], number]>(text, [...values]);
    if (revoked === undefined) return null;
    const { id, userId, keyHash } = revoked;
    const event = {
      actor: by.actor,
      origin: by.origin,
      resource: `key:${id}`,
      facts: { user: userId, reason: by.reason },
    };
    await this.audit.writeFor(manager, userId, 'key.end', event);
    notify(API_KEY_TOPIC, keyHash);
    return revoked;
  }

  private async mail<T extends 'api-key-created' | 'api-key-reported'>(
    manager: EntityManager,
    userId: string,
    template: T,
    variables: MailVariables[T],
  ): Promise<void> {
    const user = await manager.findOneBy(User, { id: userId });
    if (user === null || user.provider === SERVICE_ACCOUNT) return;
    await mailAccount(this.mailer, manager, user, { template, variables });
  }

  private async notRotated(manager: EntityManager, { userId }: KeyOwner, id: string): Promise<AppError> {
    const key = await manager.findOneBy(ApiKey, { id, userId });
    return new AppError(key === null || key.rotatedAt === null ? 'key_not_found' : 'key_rotated');
  }
}

export function listedKey(row: KeyColumns): ListedKey {
  const { id, name, prefix, scopes, addresses, createdAt, expiresAt, lastUsedAt, rotatedAt } = row;
  return {
    id,
    name,
    prefix,
    scopes,
    addresses,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    last_used_at: lastUsedAt?.toISOString() ?? null,
    rotated_at: rotatedAt?.toISOString() ?? null,
  };
}
