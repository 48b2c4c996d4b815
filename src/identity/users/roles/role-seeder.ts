import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { defineAuditActions, OPERATOR, SERVICE } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import type { FieldChange } from '../../../platform/audit/audit.types.js';
import { Clock } from '../../../kernel/clock.port.js';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';
import { newId } from '../../../kernel/keys/random.js';
import { Role, ROLES_TOPIC } from './role.entity.js';
import type { PermissionDefinition } from './permission-faults.js';
import type { RoleDefinition } from './role-file.js';
import type { RoleGrant } from './role-grants.decorator.js';

/** Roles of every installation. They are created at the first start; later changes are kept. */
export const BUILT_IN_ROLES: readonly RoleDefinition[] = [
  { name: 'admin', description: 'Has all permissions', root: true, permissions: [] },
  {
    name: 'user',
    description: 'Every signed-in account',
    root: false,
    permissions: [{ resource: 'content.user.get', value: 'record.id == auth.id', fields: null }],
  },
  { name: 'guest', description: 'Requests without a token', root: false, permissions: [] },
];

const ACTIONS = defineAuditActions('Roles', {
  'role.seed': 'A role was synchronised with a roles file, a module or the built-in roles.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

export interface SeedChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly role: string;
  /** The permission's resource; null for a change of the role itself. */
  readonly resource: string | null;
  readonly detail: string;
}

export interface SeedOptions {
  /** Only report the changes. */
  readonly dryRun?: boolean;
  /**
   * The last schema version that reassigned a name. A permission on content that was saved before it is saved again, even if it is
   * unchanged. It then refers to the current schemas and fields.
   */
  readonly reusedAt?: number;
  /** Actor in the audit log; default: the operator. */
  readonly actor?: string;
}

/** Rolls back the transaction of a dry run. */
class DryRun extends Error {}

const MEMBERS = ['description', 'root', 'mfa', 'mfaGraceDays', 'fileQuota'] as const;

type RoleSettings = Pick<Role, (typeof MEMBERS)[number]>;

const DEFAULTS: RoleSettings = { description: null, root: false, mfa: 'optional', mfaGraceDays: 0, fileQuota: null };

/** Arbitrary fixed number. Only one seeder runs at a time across all instances. */
const SEED_LOCK = 724_150_312;
const CONTENT = /^(?:\*|content(?:\.|$))/;

interface StoredPermission extends PermissionDefinition {
  readonly id: string;
  readonly schemaVersion: number;
}

const PERMISSIONS =
  'SELECT id, resource, value, fields, schema_version AS "schemaVersion" FROM permissions WHERE role_id = $1';
/** The names of a permission refer to the newest schemas. */
const SAVE_PERMISSION = `INSERT INTO permissions (id, role_id, resource, value, fields, schema_version, created_at, updated_at)
  SELECT $1::uuid, $2::uuid, $3, $4, $5::jsonb, coalesce(max(version), 0), $6::timestamptz, $6 FROM schema_versions
  ON CONFLICT (role_id, resource) DO UPDATE SET value = excluded.value, fields = excluded.fields,
    schema_version = excluded.schema_version, updated_at = excluded.updated_at`;

/** Creates and updates roles and permissions to match a definition. A second run changes nothing. */
@Injectable()
export class RoleSeeder {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Seeds in one transaction. A named role gets exactly the given permissions, unless `merge` is set. Other roles stay unchanged. */
  async seed(
    definitions: readonly RoleDefinition[],
    { dryRun = false, reusedAt = 0, actor = OPERATOR }: SeedOptions = {},
  ): Promise<SeedChange[]> {
    const done: SeedChange[] = [];
    try {
      await this.changes.transaction(async (manager, notify) => {
        await manager.query('SELECT pg_advisory_xact_lock($1)', [SEED_LOCK]);
        for (const definition of definitions) done.push(...(await this.seedRole(manager, definition, reusedAt, actor)));
        if (dryRun) throw new DryRun();
        if (done.length > 0) notify(ROLES_TOPIC, '*');
      });
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
    }
    return done;
  }

  /** Creates missing built-in roles. Existing ones are not changed. */
  async seedMissingBuiltIns(dryRun = false): Promise<SeedChange[]> {
    const existing = await this.changes.transaction((manager) => manager.find(Role, { select: { name: true } }));
    const missing = BUILT_IN_ROLES.filter(({ name }) => !existing.some((role) => role.name === name));
    return missing.length === 0 ? [] : this.seed(missing, { dryRun, actor: SERVICE });
  }

  /** Existing permissions on the same resource are kept. @throws DefinitionError for a missing role without a description. */
  async grant(grants: readonly RoleGrant[]): Promise<SeedChange[]> {
    return this.changes.transaction(async (manager, notify) => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [SEED_LOCK]);
      const done: SeedChange[] = [];
      for (const { role: name, description, allow } of grants) {
        const role = await manager.getRepository(Role).findOneBy({ name });
        if (role === null && description === undefined)
          throw new DefinitionError(`The role ${name} does not exist. Add a description to the grant to create it.`);
        const existing = role === null ? [] : await permissionsOf(manager, role.id);
        const missing = allow.filter((resource) => !existing.some((permission) => permission.resource === resource));
        if (role !== null && missing.length === 0) continue;
        const permissions = missing.map((resource) => ({ resource, value: 'allow', fields: null }));
        const createdValues = role === null ? { description } : {};
        done.push(...(await this.seedRole(manager, { name, ...createdValues, permissions, merge: true }, 0, SERVICE)));
      }
      if (done.length > 0) notify(ROLES_TOPIC, '*');
      return done;
    });
  }

  private async seedRole(
    manager: EntityManager,
    definition: RoleDefinition,
    reusedAt: number,
    actor: string,
  ): Promise<SeedChange[]> {
    const roles = manager.getRepository(Role);
    const found = await roles.findOneBy({ name: definition.name });
    const now = this.clock.now();
    const before: RoleSettings = found ?? DEFAULTS;
    const { fileQuota: quota } = definition;
    const target = {
      description: definition.description ?? before.description,
      root: definition.root ?? before.root,
      mfa: definition.mfa ?? before.mfa,
      mfaGraceDays: definition.mfaGraceDays ?? before.mfaGraceDays,
      fileQuota: quota === undefined ? before.fileQuota : (quota?.toString() ?? null),
    };
    const role = found ?? roles.create({ id: newId(), name: definition.name, createdAt: now });
    const changes: SeedChange[] = [];
    if (found === null || MEMBERS.some((member) => found[member] !== target[member])) {
      // The grace period starts when the factor becomes required.
      const isNew = target.mfa === 'required' && before.mfa !== 'required';
      await roles.save({ ...role, ...target, ...(isNew && { mfaSince: now }), updatedAt: now });
      const detail = detailOf(target, before);
      changes.push({ action: found === null ? 'create' : 'update', role: role.name, resource: null, detail });
    }
    changes.push(...(await this.seedPermissions(manager, role, definition, reusedAt)));
    const event = { action: 'role.seed', actor, resource: `role:${role.id}`, at: now } as const;
    if (changes.length > 0)
      await this.audit.write(manager, { ...event, changes: { ...seeded(changes), ...demanded(target, before) } });
    return changes;
  }

  private async seedPermissions(
    manager: EntityManager,
    role: Role,
    { permissions: target, merge = false }: RoleDefinition,
    reusedAt: number,
  ): Promise<SeedChange[]> {
    if (target === undefined) return [];
    const existing = await permissionsOf(manager, role.id);
    const changes: SeedChange[] = [];
    const named = new Set(target.map(({ resource }) => resource));
    for (const row of merge ? [] : existing.filter(({ resource }) => !named.has(resource))) {
      await manager.query('DELETE FROM permissions WHERE id = $1', [row.id]);
      changes.push({ action: 'delete', role: role.name, resource: row.resource, detail: row.value });
    }
    for (const { resource, value, fields } of target) {
      const row = existing.find((entry) => entry.resource === resource);
      const isBound = row !== undefined && (row.schemaVersion >= reusedAt || !CONTENT.test(resource));
      if (isBound && row.value === value && isDeepStrictEqual(row.fields, fields)) continue;
      await manager.query(SAVE_PERMISSION, [newId(), role.id, resource, value, fields, this.clock.now()]);
      changes.push({ action: row === undefined ? 'create' : 'update', role: role.name, resource, detail: value });
    }
    return changes;
  }
}

/** The audit log lists changes of the factor rule and of the file quota separately. */
function demanded(target: RoleSettings, { mfa, fileQuota }: RoleSettings): Readonly<Record<string, FieldChange>> {
  return {
    ...(target.mfa === mfa ? {} : { mfa: { before: mfa, after: target.mfa } }),
    ...(target.fileQuota === fileQuota ? {} : { file_quota: { before: fileQuota, after: target.fileQuota } }),
  };
}

function detailOf(target: RoleSettings, before: RoleSettings): string {
  const { mfa, mfaGraceDays: days, fileQuota: quota } = target;
  const texts = [target.root ? 'root' : (target.description ?? '')];
  if (mfa !== before.mfa || days !== before.mfaGraceDays)
    texts.push(`second factor ${mfa}${days > 0 ? ` after ${days} days` : ''}`);
  if (quota !== before.fileQuota) texts.push(`file quota ${quota ?? 'of FILES_QUOTA'}`);
  return texts.filter((text) => text !== '').join(', ');
}

function seeded(changes: readonly SeedChange[]): Readonly<Record<string, FieldChange>> {
  return Object.fromEntries(
    changes.map(({ action, role, resource, detail }) =>
      resource === null
        ? ['name', { after: role }]
        : [resource, action === 'delete' ? { before: detail } : { after: detail }],
    ),
  );
}

function permissionsOf(manager: EntityManager, roleId: string): Promise<StoredPermission[]> {
  return manager.query<StoredPermission[]>(PERMISSIONS, [roleId]);
}
