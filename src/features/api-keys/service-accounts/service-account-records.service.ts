import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RoleDirectory } from '../../../identity/auth/auth.public.js';
import type { AfterWriteEvent, BeforeWriteEvent } from '../../../identity/records/record-event.types.js';
import { AfterWrite, BeforeWrite } from '../../../identity/records/record-hooks.decorators.js';
import { SERVICE_ACCOUNT } from '../../../identity/users/user.entity.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal } from '../../../kernel/principal.types.js';

/** Permission to assign roles to service accounts that the caller does not have. */
const ASSIGN_ANY_ROLE = 'service-accounts.assign-any-role';

const LIST_ROLES = 'SELECT role_id::text AS id FROM user_roles WHERE user_id = $1';
/** Fields for sign-in or mail. */
const SIGN_IN_FIELDS = ['email', 'email_verified_at', 'username', 'password', 'invite'] as const;

/** Rules of service accounts that also apply when they are written as records. */
@Injectable()
export class ServiceAccountRecords {
  constructor(private readonly roles: RoleDirectory) {}

  /** @throws AppError `field_invalid` for a sign-in field of a service account, and for a new one: it is created by its dedicated route. */
  @BeforeWrite('user', { on: ['create', 'update'], order: 95 })
  check({ before, values, hidden }: BeforeWriteEvent): void {
    const isNew = before === null && values['provider'] === SERVICE_ACCOUNT;
    if (!isNew && before?.['provider'] !== SERVICE_ACCOUNT) return;
    const changedFields = isNew
      ? ['provider']
      : SIGN_IN_FIELDS.filter((field) => isChanged(field, before, values, hidden));
    if (changedFields.length === 0) return;
    const fault = { code: 'value_invalid', message: 'is not for service accounts' };
    throw AppError.fieldInvalid(changedFields.map((field) => ({ field, ...fault })));
  }

  /** @throws AppError `permission_denied` for a role that the caller does not have. */
  @AfterWrite('user', { on: ['create', 'update'], order: -90 })
  async checkRoles({ id, after, named, root, principal, manager }: AfterWriteEvent): Promise<void> {
    if (root || !named.has('roles') || after?.['provider'] !== SERVICE_ACCOUNT) return;
    await this.assertMayHave(principal, await this.rolesOf(manager, id));
  }

  async rolesOf(manager: EntityManager, userId: string): Promise<readonly string[]> {
    return (await manager.query<{ readonly id: string }[]>(LIST_ROLES, [userId])).map(({ id }) => id);
  }

  /** @throws AppError `permission_denied` if the caller lacks one of these roles and may not assign others. */
  async assertMayHave(principal: Principal, roleIds: readonly string[]): Promise<void> {
    const own: readonly string[] = principal.kind === 'account' ? principal.roleIds : [];
    if (roleIds.every((id) => own.includes(id)) || (await this.roles.isOpen(principal, ASSIGN_ANY_ROLE))) return;
    throw new AppError('permission_denied');
  }
}

function isChanged(
  field: string,
  before: Readonly<Record<string, unknown>> | null,
  values: Readonly<Record<string, unknown>>,
  hidden: Readonly<Record<string, unknown>>,
): boolean {
  if (field in hidden) return hidden[field] !== false && hidden[field] !== null;
  return field in values && values[field] !== (before?.[field] ?? null);
}
