import { isPlainText } from '../../../platform/http/input/field.decorator.js';
import { FACTOR_RULES, FILE_QUOTA_FORM, isFileQuota, MAX_GRACE_DAYS } from './role-settings.js';
import {
  type PermissionDefinition,
  type PermissionFields,
  permissionFaults,
  type RuleCheck,
} from './permission-faults.js';

/** A role in a roles file. */
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
    super(['The roles file is not valid:', ...faults.map((fault) => `  - ${fault}`)].join('\n'));
    this.name = 'RoleFileError';
  }
}

const ROLE_NAME = /^[a-z][a-z0-9_-]{0,99}$/;

/** Optional members of a role without its permissions, each with the check of its value and the end of the error message. */
const MEMBERS: Readonly<Record<string, readonly [isValid: (value: unknown) => boolean, expected: string]>> = {
  description: [(value) => value === null || isText(value), 'text'],
  root: [isFlag, 'true or false'],
  mfa: [(value) => FACTOR_RULES.includes(value), FACTOR_RULES.join(', ')],
  mfa_grace_days: [isGrace, `a whole number from 0 to ${MAX_GRACE_DAYS}`],
  file_quota: [(value) => typeof value !== 'string' && isFileQuota(value), FILE_QUOTA_FORM],
  merge: [isFlag, 'true or false'],
};
const KNOWN_MEMBERS = ['name', ...Object.keys(MEMBERS), 'permissions'];

interface RoleMembers extends Pick<RoleDefinition, 'description' | 'root' | 'mfa' | 'merge'> {
  readonly mfa_grace_days?: number;
  readonly file_quota?: number | null;
}

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
    this.refuseRepeats('roles', roles, ({ name }) => name);
    return roles;
  }

  private role(path: string, value: unknown): RoleDefinition {
    const fields = this.object(path, value, KNOWN_MEMBERS);
    const { name, permissions } = fields;
    if (typeof name !== 'string' || !ROLE_NAME.test(name))
      this.fault(`${path}.name`, 'lower-case letters, digits, - and _, beginning with a letter');
    for (const [member, [isValid, expected]] of Object.entries(MEMBERS))
      if (fields[member] !== undefined && !isValid(fields[member])) this.fault(`${path}.${member}`, expected);
    const {
      description,
      root,
      mfa,
      mfa_grace_days: mfaGraceDays,
      file_quota: fileQuota,
      merge,
    } = fields as RoleMembers;
    if (name === 'admin' && root === false) this.fault(`${path}.root`, 'true: admin is the root role');
    if (name === 'guest' && root === true) this.fault(`${path}.root`, 'false: guests cannot be root');
    const role = { name: String(name), description, root, mfa, mfaGraceDays, fileQuota, merge };
    return permissions === undefined
      ? role
      : { ...role, permissions: this.permissions(`${path}.permissions`, permissions) };
  }

  private permissions(path: string, value: unknown): PermissionDefinition[] {
    const permissions = this.list(path, value).map((entry, index) => this.permission(`${path}[${index}]`, entry));
    this.refuseRepeats(path, permissions, ({ resource }) => resource);
    return permissions;
  }

  private permission(path: string, value: unknown): PermissionDefinition {
    const { resource, value: rule, fields } = this.object(path, value, ['resource', 'value', 'fields']);
    for (const { field, message } of permissionFaults({ resource, value: rule, fields }, this.ruleFault))
      this.faults.push(`${path}.${field} ${message}`);
    const lists = (fields ?? null) as PermissionFields | null;
    return { resource: String(resource), value: String(rule), fields: lists };
  }

  private list(path: string, value: unknown): unknown[] {
    if (Array.isArray(value)) return value;
    this.fault(path, 'a list');
    return [];
  }

  private object(path: string, value: unknown, keys: readonly string[]): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.fault(path, 'an object');
      return {};
    }
    for (const key of Object.keys(value))
      if (!keys.includes(key))
        this.faults.push(`${path} has the unknown member ${JSON.stringify(key)}. Known members: ${keys.join(', ')}`);
    return value as Fields;
  }

  private refuseRepeats<Entry>(path: string, entries: readonly Entry[], nameOf: (entry: Entry) => string): void {
    const names = entries.map(nameOf);
    const repeated = names.filter((name, index) => names.indexOf(name) !== index);
    for (const name of new Set(repeated)) this.faults.push(`${path} lists ${JSON.stringify(name)} more than once`);
  }

  private fault(path: string, expected: string): void {
    this.faults.push(`${path} must be ${expected}`);
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
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_GRACE_DAYS;
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && isPlainText(value);
}
