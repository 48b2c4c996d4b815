import { isPlainText } from '../../../platform/http/http.public.js';
import type { PermissionFields } from './permission.entity.js';
import { FACTOR_RULES, MOST_GRACE_DAYS } from './factor-rule.js';
import { FILE_QUOTA_FORM, isFileQuota } from './file-quota.js';
import { type PermissionDefinition, permissionFaults, type RuleCheck } from './permission-faults.js';

/** A role in a roles file (CONTRACT §5). */
export interface RoleDefinition {
  readonly name: string;
  readonly description?: string | null;
  readonly root?: boolean;
  /** `off`, `optional` or `required`. */
  readonly mfa?: string;
  /** Grace period in days before a required second factor is enforced. */
  readonly mfaGraceDays?: number;
  /** Bytes of files that each user of the role may store. 0: unlimited; null: not set by this role. */
  readonly fileQuota?: number | null;
  /** Omitted: the current permissions of the role are kept. */
  readonly permissions?: readonly PermissionDefinition[];
  /** Whether the permissions are added to the current ones. By default they replace all of them. */
  readonly merge?: boolean;
}

/** Lists all errors of a roles file, each with its place. */
export class RoleFileError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(['The roles file has faults:', ...faults.map((fault) => `  - ${fault}`)].join('\n'));
    this.name = 'RoleFileError';
  }
}

const ROLE_NAME = /^[a-z][a-z0-9_-]{0,99}$/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The form is
 * `{"roles": [{"name", "description", "root", "mfa", "mfa_grace_days", "file_quota", "merge", "permissions": [{"resource", "value", "fields"}]}]}`.
 *
 * @throws RoleFileError with all errors of the file.
 */
export function parseRoleFile(text: string, ruleFault: RuleCheck): RoleDefinition[] {
  const faults: string[] = [];
  const roles = new RoleFileReader(faults, ruleFault).read(text);
  if (faults.length > 0) throw new RoleFileError(faults);
  return roles;
}

class RoleFileReader {
  constructor(
    private readonly faults: string[],
    private readonly ruleFault: RuleCheck,
  ) {}

  read(text: string): RoleDefinition[] {
    const root = this.object('the file', parseJson(text), ['roles']);
    const roles = this.list('roles', root['roles']).map((value, index) => this.role(`roles[${index}]`, value));
    this.refuseRepeats(
      'roles',
      roles.map(({ name }) => name),
    );
    return roles;
  }

  private role(place: string, value: unknown): RoleDefinition {
    const fields = this.object(place, value, [
      'name',
      'description',
      'root',
      'mfa',
      'mfa_grace_days',
      'file_quota',
      'merge',
      'permissions',
    ]);
    const { name, description, root, mfa, mfa_grace_days: days, file_quota: quota, merge, permissions } = fields;
    if (typeof name !== 'string' || !ROLE_NAME.test(name))
      this.fault(`${place}.name`, 'lower-case letters, digits, - and _, beginning with a letter');
    if (description !== undefined && description !== null && !isText(description))
      this.fault(`${place}.description`, 'text');
    for (const [member, flag] of Object.entries({ root, merge }))
      if (flag !== undefined && typeof flag !== 'boolean') this.fault(`${place}.${member}`, 'true or false');
    if (mfa !== undefined && !FACTOR_RULES.includes(mfa)) this.fault(`${place}.mfa`, FACTOR_RULES.join(', '));
    if (days !== undefined && !isGrace(days))
      this.fault(`${place}.mfa_grace_days`, `a whole number from 0 to ${MOST_GRACE_DAYS}`);
    if (typeof quota === 'string' || (quota !== undefined && !isFileQuota(quota)))
      this.fault(`${place}.file_quota`, FILE_QUOTA_FORM);
    if (name === 'admin' && root === false) this.fault(`${place}.root`, 'true: admin is the root role');
    if (name === 'guest' && root === true) this.fault(`${place}.root`, 'false: guests are everybody');
    return {
      name: String(name),
      description: description as string | null | undefined,
      root: root as boolean | undefined,
      mfa: mfa as string | undefined,
      mfaGraceDays: days as number | undefined,
      fileQuota: quota as number | null | undefined,
      merge: merge as boolean | undefined,
      permissions: permissions === undefined ? undefined : this.permissions(`${place}.permissions`, permissions),
    };
  }

  private permissions(place: string, value: unknown): PermissionDefinition[] {
    const permissions = this.list(place, value).map((entry, index) => this.permission(`${place}[${index}]`, entry));
    this.refuseRepeats(
      place,
      permissions.map(({ resource }) => resource),
    );
    return permissions;
  }

  private permission(place: string, value: unknown): PermissionDefinition {
    const { resource, value: rule, fields } = this.object(place, value, ['resource', 'value', 'fields']);
    for (const { field, message } of permissionFaults({ resource, value: rule, fields }, this.ruleFault))
      this.faults.push(`${place}.${field} ${message}`);
    const lists = (fields ?? null) as PermissionFields | null;
    return { resource: String(resource), value: String(rule), fields: lists };
  }

  private list(place: string, value: unknown): unknown[] {
    if (Array.isArray(value)) return value;
    this.fault(place, 'a list');
    return [];
  }

  private object(place: string, value: unknown, keys: readonly string[]): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.fault(place, 'an object');
      return {};
    }
    for (const key of Object.keys(value))
      if (!keys.includes(key)) this.faults.push(`${place} has ${JSON.stringify(key)}; known are ${keys.join(', ')}`);
    return value as Fields;
  }

  private refuseRepeats(place: string, names: readonly string[]): void {
    const repeated = names.filter((name, index) => names.indexOf(name) !== index);
    for (const name of new Set(repeated)) this.faults.push(`${place} names ${JSON.stringify(name)} more than once`);
  }

  private fault(place: string, expected: string): void {
    this.faults.push(`${place} must be ${expected}`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RoleFileError(['the file must be JSON']);
  }
}

function isGrace(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_GRACE_DAYS;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && isPlainText(value);
}
