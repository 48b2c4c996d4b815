import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RoleDirectory } from '../../../identity/auth/auth.public.js';
import { ERASED_ACCOUNT, SERVICE_ACCOUNT } from '../../../identity/users/user.entity.js';
import { assertMayTouch, lockRoot } from '../../../identity/users/users.public.js';
import { UsersService } from '../../../identity/users/users.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { isUuid } from '../../../kernel/keys/random.js';
import { accountActor, OPERATOR } from '../../../platform/audit/audit.public.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import type { ApiKey } from '../api-key.entity.js';
import { ApiKeys, type KeyActor, type KeyOwner, listedKey } from '../api-keys.service.js';
import type { AnyKey, IssuedKey, KeyPage, KeyQuery } from '../api-keys.dto.js';
import { KeyScopes, type KeyWish } from '../scopes/key-scopes.service.js';

/** An administrator, or the operator at the command line, who has all permissions. */
export type KeyAdministrator = AccountPrincipal | typeof OPERATOR;

type KeyRow = ApiKey & Pick<AnyKey, 'owner'>;

const PAGE = 50;
const LIST = `SELECT k.id, k.name, k.prefix, k.scopes, k.addresses, k.created_at AS "createdAt", k.expires_at AS "expiresAt",
    k.last_used_at AS "lastUsedAt", k.rotated_at AS "rotatedAt",
    json_build_object('id', u.id, 'kind', CASE u.provider WHEN '${SERVICE_ACCOUNT}' THEN 'service' ELSE 'person' END,
      'name', CASE u.provider WHEN '${SERVICE_ACCOUNT}' THEN coalesce(u.first_name, '') ELSE u.email END,
      'activated', u.activated) AS owner
  FROM api_keys k JOIN users u ON u.id = k.user_id
  WHERE ($1::uuid IS NULL OR k.user_id = $1) AND ($2::boolean IS NULL OR (u.provider = '${SERVICE_ACCOUNT}') = $2)
    AND ($3::boolean IS NULL OR (k.expires_at IS NULL OR k.expires_at > $4) = $3)
    AND ($5::text IS NULL OR k.prefix = $5) AND ($6::uuid IS NULL OR k.id < $6)
  ORDER BY k.id DESC LIMIT $7`;
const FIND_OWNER = `SELECT id AS "userId", CASE provider WHEN '${SERVICE_ACCOUNT}' THEN 'svc' ELSE 'pat' END AS kind
  FROM users WHERE id = $1 AND provider <> '${ERASED_ACCOUNT}'`;
const OWNER_OF = 'SELECT user_id AS "userId" FROM api_keys WHERE id = $1';
const NAMED = `SELECT id FROM users WHERE provider = '${SERVICE_ACCOUNT}' AND first_name = $1 LIMIT 2`;

/** The API keys of all accounts, for administrators and the command line. Existing keys are never returned in full. */
@Injectable()
export class KeyAdministration {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly roles: RoleDirectory,
    private readonly users: UsersService,
    private readonly keys: ApiKeys,
    private readonly scopes: KeyScopes,
    private readonly clock: Clock,
  ) {}

  /** Returns a page of keys, newest first. Recently expired keys are included. */
  async list({ owner, kind, state, prefix, cursor }: KeyQuery): Promise<KeyPage> {
    const isService = kind === undefined ? null : kind === 'service';
    const isActive = state === undefined ? null : state === 'active';
    const values = [owner ?? null, isService, isActive, this.clock.now(), prefix ?? null, cursor ?? null, PAGE + 1];
    const rows = await this.dataSource.query<KeyRow[]>(LIST, values);
    const items = rows.slice(0, PAGE).map((row): AnyKey => ({ ...listedKey(row), owner: row.owner }));
    return { items, next_cursor: rows.length > PAGE ? (items.at(-1)?.id ?? null) : null };
  }

  /**
   * Revokes a key of any account. Only root accounts can revoke the keys of root accounts.
   *
   * @throws AppError `key_not_found`, `permission_denied`
   */
  async end(administrator: KeyAdministrator, id: string, origin?: RequestOrigin): Promise<void> {
    const root = await isRootAdministrator(this.roles, administrator);
    await this.changes.transaction(async (manager) => {
      await lockRoot(manager);
      const userId = await ownerOf(manager, id);
      await assertMayTouch(manager, root, userId);
      await this.keys.remove(userId, id, actorOfAdministrator(administrator, origin), manager);
    });
  }

  /**
   * Creates a key for an account on behalf of the operator. Its owner is notified by mail.
   *
   * @throws AppError `validation_failed`, `too_many_keys`; `record_not_found` if there is no such account.
   */
  async create(userId: string, wish: KeyWish): Promise<IssuedKey> {
    const request = this.scopes.read(wish);
    return this.dataSource.transaction(async (manager) => {
      const owner = await this.open(manager, userId);
      if (request.lifetimeMs === null && owner.kind === 'pat')
        throw AppError.validation([
          { field: 'expires_in_days', code: 'required', message: 'is required for a key of a user' },
        ]);
      return this.keys.create(manager, owner, request);
    });
  }

  /**
   * Creates a key that replaces another one, like {@link create}.
   *
   * @throws AppError `key_not_found`, `key_rotated`, `too_many_keys`
   */
  async replace(id: string, overlapHours: number): Promise<IssuedKey> {
    return this.changes.transaction(async (manager, notify) => {
      const owner = await this.open(manager, await ownerOf(manager, id));
      return this.keys.rotate(manager, notify, owner, { id, overlapHours });
    });
  }

  /** Finds an account by its id, by its login, or by the name of a service account if that name is unique. */
  async findOwner(text: string): Promise<string | null> {
    if (isUuid(text)) return (await this.users.findById(text))?.id ?? null;
    const person = await this.users.findByLogin(text);
    if (person !== null) return person.id;
    const named = await this.dataSource.query<{ readonly id: string }[]>(NAMED, [text]);
    return named.length === 1 ? (named[0]?.id ?? null) : null;
  }

  private async open(manager: EntityManager, userId: string): Promise<KeyOwner> {
    await this.keys.lockOwner(manager, userId);
    const [owner] = await manager.query<Pick<KeyOwner, 'userId' | 'kind'>[]>(FIND_OWNER, [userId]);
    if (owner === undefined) throw new AppError('record_not_found');
    return { ...owner, ...actorOfAdministrator(OPERATOR) };
  }
}

export async function isRootAdministrator(roles: RoleDirectory, administrator: KeyAdministrator): Promise<boolean> {
  return administrator === OPERATOR || (await roles.permissionsOf(administrator)).root;
}

export function actorOfAdministrator(administrator: KeyAdministrator, origin?: RequestOrigin): KeyActor {
  return { actor: administrator === OPERATOR ? OPERATOR : accountActor(administrator.userId), origin };
}

/** @throws AppError `key_not_found` */
async function ownerOf(manager: EntityManager, id: string): Promise<string> {
  const [row] = isUuid(id) ? await manager.query<{ readonly userId: string }[]>(OWNER_OF, [id]) : [];
  if (row === undefined) throw new AppError('key_not_found');
  return row.userId;
}
