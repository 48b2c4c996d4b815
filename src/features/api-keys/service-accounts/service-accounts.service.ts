import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Content } from '../../../data/content/content.service.js';
import { type ClientContext, RoleDirectory } from '../../../identity/auth/auth.public.js';
import { SERVICE_ACCOUNT } from '../../../identity/users/user.entity.js';
import { UsersService } from '../../../identity/users/users.service.js';
import { assertMayTouch, lockRoot } from '../../../identity/users/users.public.js';
import { OPERATOR } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { isUuid, newId } from '../../../kernel/keys/random.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { ApiKeys } from '../api-keys.service.js';
import type {
  IssuedKey,
  ListedKey,
  ListedServiceAccount,
  RotateDto,
  ServiceAccountDto,
  ServiceKeyDto,
} from '../api-keys.dto.js';
import {
  actorOfAdministrator,
  isRootAdministrator,
  type KeyAdministrator,
} from '../administration/key-administration.service.js';
import { type KeyAdmission, OwnKeys } from '../own/own-keys.service.js';
import { ServiceAccountRecords } from './service-account-records.service.js';

const LIST = `SELECT u.id, coalesce(u.first_name, '') AS name, u.activated, u.created_at,
    array(SELECT r.name FROM user_roles ur JOIN roles r ON r.id = ur.role_id WHERE ur.user_id = u.id ORDER BY r.name) AS roles
  FROM users u WHERE u.provider = '${SERVICE_ACCOUNT}'`;
const FIND_ROLES = 'SELECT id, name, root FROM roles WHERE name = ANY($1) OR id::text = ANY($1)';

interface ServiceAccountRow extends Omit<ListedServiceAccount, 'created_at'> {
  readonly created_at: Date;
}

/**
 * Service accounts: they have roles and keys, but no password, address or sign-in method. Like user accounts, only root accounts can create
 * or change those with a root role.
 */
@Injectable()
export class ServiceAccounts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly users: UsersService,
    private readonly roles: RoleDirectory,
    private readonly content: Content,
    private readonly keys: ApiKeys,
    private readonly own: OwnKeys,
    private readonly records: ServiceAccountRecords,
    private readonly audit: AuditTrail,
  ) {}

  async list(): Promise<ListedServiceAccount[]> {
    const rows = await this.dataSource.query<ServiceAccountRow[]>(`${LIST} ORDER BY name, u.id`);
    return rows.map(toListedServiceAccount);
  }

  /** @throws AppError `validation_failed` for an unknown role; `permission_denied` for a role that the caller does not have. */
  async create(
    administrator: KeyAdministrator,
    { name, roles: names }: ServiceAccountDto,
    origin?: RequestOrigin,
  ): Promise<ListedServiceAccount> {
    const root = await isRootAdministrator(this.roles, administrator);
    return this.dataSource.transaction(async (manager) => {
      await lockRoot(manager);
      const roles = await rolesNamed(manager, names);
      if (!root && roles.some((role) => role.root)) throw new AppError('permission_denied');
      if (administrator !== OPERATOR && !root)
        await this.records.assertMayHave(
          administrator,
          roles.map((role) => role.id),
        );
      const { id } = await this.users.create(manager, {
        // Not a valid address, so it cannot be proven and no mail is sent to it.
        email: `${SERVICE_ACCOUNT}-${newId()}`,
        firstName: name,
        passwordHash: null,
        provider: SERVICE_ACCOUNT,
        activated: true,
        roles: roles.map((role) => role.name),
        by: 'administrator',
        ...actorOfAdministrator(administrator, origin),
      });
      return this.get(manager, id);
    });
  }

  /** Removes a service account with its keys, through its record. @throws AppError `service_account_not_found`, `permission_denied` */
  async remove(administrator: KeyAdministrator, id: string, origin?: RequestOrigin): Promise<void> {
    const root = await isRootAdministrator(this.roles, administrator);
    await this.dataSource.transaction(async (manager) => {
      const account = await this.open(manager, root, id);
      // The record itself is removed as `system`.
      const event = {
        ...actorOfAdministrator(administrator, origin),
        facts: { name: account.name, roles: account.roles },
      };
      await this.audit.writeFor(manager, account.id, 'account.remove', event);
      await this.content.as('system').in(manager).schema('user').remove(id);
    });
  }

  /** @throws AppError `service_account_not_found` */
  async listKeys(id: string): Promise<ListedKey[]> {
    await this.get(this.dataSource.manager, id);
    return this.keys.list(id);
  }

  /** @throws AppError `service_account_not_found`, `permission_denied`, and the errors of {@link OwnKeys.create}. */
  async createKey(
    account: AccountPrincipal,
    id: string,
    body: ServiceKeyDto,
    client: ClientContext,
  ): Promise<IssuedKey> {
    return this.own.create(account, body, client, await this.admission(account, id, client));
  }

  /** @throws AppError `service_account_not_found`, `permission_denied`, and the errors of {@link OwnKeys.rotate}. */
  async rotateKey(
    account: AccountPrincipal,
    { id, key }: { readonly id: string; readonly key: string },
    body: RotateDto,
    client: ClientContext,
  ): Promise<IssuedKey> {
    return this.own.rotate(account, key, body, client, await this.admission(account, id, client));
  }

  /** @throws AppError `service_account_not_found`, `permission_denied`, `key_not_found` */
  async removeKey(
    account: AccountPrincipal,
    { id, key }: { readonly id: string; readonly key: string },
    origin: RequestOrigin,
  ): Promise<void> {
    const { root } = await this.roles.permissionsOf(account);
    await this.changes.transaction(async (manager) => {
      await this.open(manager, root, id);
      await this.keys.remove(id, key, actorOfAdministrator(account, origin), manager);
    });
  }

  /** Locks a service account. Throws unless the caller may change it. */
  private async open(manager: EntityManager, root: boolean, id: string): Promise<ListedServiceAccount> {
    await lockRoot(manager);
    const account = await this.get(manager, id);
    await assertMayTouch(manager, root, account.id);
    await this.keys.lockOwner(manager, account.id);
    return account;
  }

  /** The new key grants the roles of the service account, so the caller must be allowed to assign them. */
  private async admission(account: AccountPrincipal, id: string, origin: ClientContext): Promise<KeyAdmission> {
    const { root } = await this.roles.permissionsOf(account);
    return async (manager) => {
      const { id: userId } = await this.open(manager, root, id);
      if (!root) await this.records.assertMayHave(account, await this.records.rolesOf(manager, userId));
      return { userId, kind: 'svc', ...actorOfAdministrator(account, origin) };
    };
  }

  private async get(manager: EntityManager, id: string): Promise<ListedServiceAccount> {
    const [row] = isUuid(id) ? await manager.query<ServiceAccountRow[]>(`${LIST} AND u.id = $1`, [id]) : [];
    if (row === undefined) throw new AppError('service_account_not_found');
    return toListedServiceAccount(row);
  }
}

async function rolesNamed(
  manager: EntityManager,
  names: readonly string[],
): Promise<readonly { readonly id: string; readonly name: string; readonly root: boolean }[]> {
  const roles = await manager.query<{ id: string; name: string; root: boolean }[]>(FIND_ROLES, [names]);
  const faults = names.flatMap((name, at) =>
    roles.some((role) => role.name === name || role.id === name)
      ? []
      : [{ field: `roles.${at}`, code: 'role_unknown', message: 'is not a role' }],
  );
  if (faults.length > 0) throw AppError.validation(faults);
  return roles;
}

function toListedServiceAccount({ created_at, ...row }: ServiceAccountRow): ListedServiceAccount {
  return { ...row, created_at: created_at.toISOString() };
}
