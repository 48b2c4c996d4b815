import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type AccountDataRequest, OnAccountExport } from '../../identity/life/account-data.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import type { KeyScope, RequestOrigin } from '../../kernel/principal.types.js';
import { isUuid, newId } from '../../kernel/keys/random.js';
import { accountActor, defineAuditActions, factsOf } from '../../platform/audit/audit.public.js';
import type { AuditAction } from '../../platform/audit/audit.types.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { ChangeNotifier, type Notify } from '../../platform/events/change-notifier.service.js';
import { API_KEY_TOPIC } from './api-key-directory.service.js';
import { ApiKey } from './api-key.entity.js';
import { type ApiKeyKind, makeApiKey } from '../../kernel/keys/api-key-format.js';
import type { IssuedKey, ListedKey } from './api-keys.types.js';
import { defineLimit } from '../../kernel/limits.js';

const ACTIONS = defineAuditActions('API keys', {
  'key.create': 'An API key was made.',
  'key.end': 'An API key was ended.',
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

const MOST_KEYS = defineLimit(50, 'API keys', 'valid keys of one account', 'too_many_keys');
const LOCK_ACCOUNT = 'SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE';
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
const ENDED = 'RETURNING id, user_id AS "userId", prefix, key_hash AS "keyHash"';
const END = `DELETE FROM api_keys WHERE id = $1 AND user_id = $2 ${ENDED}`;
const END_FOUND = `DELETE FROM api_keys WHERE key_hash = $1 ${ENDED}`;
const HOUR_MS = 3_600_000;

/** Properties of a rotated key that the new one inherits. */
interface RotatedRow extends KeyRequest {
  readonly keyHash: string;
}

export interface EndedKey {
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
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the account before keys are created, in the caller's transaction. A concurrent deactivation or revocation of keys is serialised
   * with it.
   */
  async lockOwner(manager: EntityManager, userId: string): Promise<void> {
    await manager.query(LOCK_ACCOUNT, [userId]);
  }

  /** Creates a key in the caller's transaction. The account must be locked. @throws AppError `too_many_keys` */
  async create(manager: EntityManager, owner: KeyOwner, request: KeyRequest): Promise<IssuedKey> {
    const { userId, kind } = owner;
    const { name, scopes, addresses, schemaVersion, lifetimeMs } = request;
    const createdAt = this.clock.now();
    const [row] = await manager.query<{ count: number }[]>(COUNT, [userId, createdAt]);
    if (row === undefined || row.count >= MOST_KEYS) throw new AppError('too_many_keys');
    const { key, prefix, keyHash } = makeApiKey(kind);
    const made = manager.create(ApiKey, {
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
    await manager.insert(ApiKey, made);
    await this.note(manager, 'key.create', made.id, {
      ...owner,
      facts: { user: userId, scopes, addresses, replaces: request.replaces },
    });
    return { ...listedKey(made), key };
  }

  /**
   * Creates a key that replaces another one, in the caller's transaction. The account must be locked. The old key stays valid for
   * `overlapHours`.
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
      if ((await this.end(manager, notify, { text: END, values: [id, userId], by })) === null)
        throw new AppError('key_not_found');
    }, within);
  }

  /** Revokes a reported key, in the caller's transaction. Returns null if no key has this hash. */
  async removeFound(manager: EntityManager, notify: Notify, keyHash: string, by: KeyActor): Promise<EndedKey | null> {
    return this.end(manager, notify, { text: END_FOUND, values: [keyHash], by: { ...by, reason: 'reported' } });
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
  ): Promise<EndedKey | null> {
    const [[ended]] = await manager.query<[EndedKey[], number]>(text, [...values]);
    if (ended === undefined) return null;
    const { id, userId, keyHash } = ended;
    await this.note(manager, 'key.end', id, { userId, ...by, facts: { user: userId, reason: by.reason } });
    notify(API_KEY_TOPIC, keyHash);
    return ended;
  }

  private async note(
    manager: EntityManager,
    action: AuditAction,
    id: string,
    {
      userId,
      actor = accountActor(userId),
      origin,
      facts,
    }: KeyActor & { readonly userId: string; readonly facts: object },
  ): Promise<void> {
    const event = { action, actor, resource: `key:${id}`, origin, changes: factsOf({ ...facts }) };
    await this.audit.write(manager, { ...event, at: this.clock.now() });
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
