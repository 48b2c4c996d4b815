import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { AfterWriteEvent, BeforeWriteEvent } from '../../records/record-event.types.js';
import { AfterWrite, BeforeWrite } from '../../records/record-hooks.decorators.js';
import { FACTOR_RULES, FILE_QUOTA_FORM, isFileQuota, MAX_GRACE_DAYS } from './role-settings.js';
import { permissionFaults } from './permission-faults.js';
import { assertRootRemains, lockRoot } from '../root-accounts.js';
import { ROLES_TOPIC } from './role.entity.js';
import { BUILT_IN_ROLES } from './role-seeder.js';
import { RuleLanguage } from './rule-language.port.js';

const MEMBERS = ['resource', 'value', 'fields'] as const;
const BUILT_IN_NAMES: readonly unknown[] = BUILT_IN_ROLES.map(({ name }) => name);
const IS_GUEST_ROOT = `SELECT 1 FROM roles WHERE name = 'guest' AND root`;

/**
 * Validates writes of roles and permissions. Built-in roles keep their names, and at least one active account with a root role must remain.
 * These hooks run last before a write (order 100) and first after it (order -100).
 */
@Injectable()
export class RoleRecords {
  constructor(private readonly language: RuleLanguage) {}

  /** Built-in roles cannot be renamed, because the server finds them by name. */
  @BeforeWrite('role', { on: ['create', 'update'], order: 100 })
  async checkRole({ before, values, hidden, manager, now }: BeforeWriteEvent): Promise<void> {
    const former = before?.['name'];
    if ('name' in values && values['name'] !== former && BUILT_IN_NAMES.includes(former))
      throw AppError.fieldInvalid([{ field: 'name', code: 'immutable', message: 'cannot be changed' }]);
    assertFactorRule(values);
    assertFileQuota(values);
    if (values['mfa'] === 'required' && before?.['mfa'] !== 'required') hidden['mfa_since'] = now;
    await lockRoot(manager);
  }

  /** Validates the resulting permission and binds it to the current schema version, whose names it refers to from now on. */
  @BeforeWrite('permission', { on: ['create', 'update'], order: 100 })
  async checkPermission({ before, values, named, hidden, manager }: BeforeWriteEvent): Promise<void> {
    if (MEMBERS.some((name) => named.has(name) || name in values)) {
      const [resource, value, fields] = MEMBERS.map((name) => (name in values ? values[name] : before?.[name]));
      const check = (about: string, rule: string): string | null => this.language.fault(about, rule);
      const faults = permissionFaults({ resource, value, fields }, check);
      if (faults.length > 0) throw AppError.fieldInvalid(faults.map((fault) => ({ ...fault, code: 'value_invalid' })));
      hidden['schema_version'] = this.language.version;
    }
    await lockRoot(manager);
  }

  /** @throws AppError `record_in_use` for a built-in role. */
  @BeforeWrite('role', { on: ['delete'], order: 100 })
  async protectBuiltIn({ before, manager }: BeforeWriteEvent): Promise<void> {
    await lockRoot(manager);
    if (BUILT_IN_NAMES.includes(before?.['name'])) throw new AppError('record_in_use');
  }

  @BeforeWrite('permission', { on: ['delete'], order: 100 })
  async lock({ manager }: BeforeWriteEvent): Promise<void> {
    await lockRoot(manager);
  }

  /** @throws AppError `last_root_account`; `field_invalid` if the guest role would become a root role. */
  @AfterWrite('role', { order: -100 })
  @AfterWrite('permission', { order: -100 })
  async onRoleChange({ operation, manager, notify }: AfterWriteEvent): Promise<void> {
    await assertRootRemains(manager);
    if (operation !== 'delete' && (await manager.query<unknown[]>(IS_GUEST_ROOT)).length > 0)
      throw AppError.fieldInvalid([{ field: 'root', code: 'value_invalid', message: 'does not fit the field' }]);
    notify(ROLES_TOPIC, '*');
  }
}

function assertFactorRule({ mfa = 'optional', mfa_grace_days: days = 0 }: Readonly<Record<string, unknown>>): void {
  const code = 'value_invalid';
  if (!FACTOR_RULES.includes(mfa))
    throw AppError.fieldInvalid([{ field: 'mfa', code, message: `must be one of ${FACTOR_RULES.join(', ')}` }]);
  if (Number(days) < 0 || Number(days) > MAX_GRACE_DAYS)
    throw AppError.fieldInvalid([{ field: 'mfa_grace_days', code, message: `must be from 0 to ${MAX_GRACE_DAYS}` }]);
}

function assertFileQuota({ file_quota: quota = null }: Readonly<Record<string, unknown>>): void {
  if (!isFileQuota(quota))
    throw AppError.fieldInvalid([
      { field: 'file_quota', code: 'value_invalid', message: `must be ${FILE_QUOTA_FORM}` },
    ]);
}
