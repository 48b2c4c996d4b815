import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { defineAuditActions, OPERATOR, SERVICE } from '../../../platform/audit/audit.public.js';
import type { FieldChange } from '../../../platform/audit/audit.types.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { Clock } from '../../../kernel/clock.port.js';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';
import { newId } from '../../../kernel/keys/random.js';
import { BUILT_IN_ROLES, ROLES_TOPIC } from './built-in-roles.js';
import { Permission } from './permission.entity.js';
import { Role } from './role.entity.js';
import type { RoleDefinition } from './role-file.js';
import type { RoleGrant } from './role-grants.decorator.js';

const ACTIONS = defineAuditActions('Roles', {
  'role.seed': 'A role was brought to what a file, a module or the service says.',
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
  readonly retakenAt?: number;
  /** Actor in the audit log; default: the operator. */
  readonly actor?: string;
}

/** Rolls back the transaction of a dry run. */
class DryRun extends Error {}

const MEMBERS = ['description', 'root', 'mfa', 'mfaGraceDays', 'fileQuota'] as const;

type RoleSettings = Pick<Role, (typeof MEMBERS)[number]>;

/** Arbitrary fixed number. Only one seeder runs at a time across all instances. */
const SEED_LOCK = 724_150_312;
const CONTENT = /^(?:\*|content(?:\.|$))/;

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
    { dryRun = false, retakenAt = 0, actor = OPERATOR }: SeedOptions = {},
  ): Promise<SeedChange[]> {
    const done: SeedChange[] = [];
    try {
      await this.changes.transaction(async (manager, notify) => {
        await manager.query('SELECT pg_advisory_xact_lock($1)', [SEED_LOCK]);
        for (const definition of definitions)
          done.push(...(await this.seedRole(manager, definition, retakenAt, actor)));
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
    const existing = await this.changes.transaction((manager) =>
      manager.getRepository(Role).find({ select: { name: true } }),
    );
    const names = new Set(existing.map(({ name }) => name));
    const missing = BUILT_IN_ROLES.filter(({ name }) => !names.has(name));
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
          throw new DefinitionError(`There is no role ${name}: give the grant a description, and it is made.`);
        const there = role === null ? [] : await manager.getRepository(Permission).findBy({ roleId: role.id });
        const missing = allow.filter((resource) => !there.some((permission) => permission.resource === resource));
        if (role !== null && missing.length === 0) continue;
        const permissions = missing.map((resource) => ({ resource, value: 'allow', fields: null }));
        const made = role === null ? { description } : {};
        done.push(...(await this.seedRole(manager, { name, ...made, permissions, merge: true }, 0, SERVICE)));
      }
      if (done.length > 0) notify(ROLES_TOPIC, '*');
      return done;
    });
  }

  private async seedRole(
    manager: EntityManager,
    definition: RoleDefinition,
    retakenAt: number,
    actor: string,
  ): Promise<SeedChange[]> {
    const roles = manager.getRepository(Role);
    const found = await roles.findOneBy({ name: definition.name });
    const now = this.clock.now();
    const wanted = {
      description: definition.description ?? found?.description ?? null,
      root: definition.root ?? found?.root ?? false,
      mfa: definition.mfa ?? found?.mfa ?? 'optional',
      mfaGraceDays: definition.mfaGraceDays ?? found?.mfaGraceDays ?? 0,
      fileQuota: definition.fileQuota === undefined ? (found?.fileQuota ?? null) : textOf(definition.fileQuota),
    };
    const role = found ?? roles.create({ id: newId(), name: definition.name, createdAt: now });
    const changes: SeedChange[] = [];
    if (found === null || MEMBERS.some((member) => found[member] !== wanted[member])) {
      // The grace period starts when the factor becomes required.
      const isNew = wanted.mfa === 'required' && found?.mfa !== 'required';
      await roles.save({ ...role, ...wanted, ...(isNew && { mfaSince: now }), updatedAt: now });
      const detail = detailOf(wanted, found);
      changes.push({ action: found === null ? 'create' : 'update', role: role.name, resource: null, detail });
    }
    changes.push(...(await this.seedPermissions(manager, role, definition, retakenAt)));
    const event = {
      action: 'role.seed',
      actor,
      resource: `role:${role.id}`,
      changes: { ...seeded(changes), ...demanded(wanted, found) },
      at: now,
    } as const;
    if (changes.length > 0) await this.audit.write(manager, event);
    return changes;
  }

  private async seedPermissions(
    manager: EntityManager,
    role: Role,
    { permissions: wanted, merge = false }: RoleDefinition,
    retakenAt: number,
  ): Promise<SeedChange[]> {
    if (wanted === undefined) return [];
    const permissions = manager.getRepository(Permission);
    const existing = await permissions.findBy({ roleId: role.id });
    const changes: SeedChange[] = [];
    const named = new Set(wanted.map(({ resource }) => resource));
    for (const row of merge ? [] : existing.filter(({ resource }) => !named.has(resource))) {
      await permissions.delete({ id: row.id });
      changes.push({ action: 'delete', role: role.name, resource: row.resource, detail: row.value });
    }
    for (const { resource, value, fields } of wanted) {
      const row = existing.find((entry) => entry.resource === resource);
      const isBound = row !== undefined && (row.schemaVersion >= retakenAt || !CONTENT.test(resource));
      if (isBound && row.value === value && isDeepStrictEqual(row.fields, fields)) continue;
      const now = this.clock.now();
      const base = row ?? { id: newId(), roleId: role.id, resource, createdAt: now };
      const schemaVersion = await newestSchemas(manager);
      await permissions.save(permissions.create({ ...base, value, fields, schemaVersion, updatedAt: now }));
      changes.push({ action: row === undefined ? 'create' : 'update', role: role.name, resource, detail: value });
    }
    return changes;
  }
}

/** The audit log lists changes of the factor rule and of the file quota separately. */
function demanded(wanted: RoleSettings, found: RoleSettings | null): Readonly<Record<string, FieldChange>> {
  const { mfa = 'optional', fileQuota = null } = found ?? {};
  return {
    ...(wanted.mfa === mfa ? {} : { mfa: { before: mfa, after: wanted.mfa } }),
    ...(wanted.fileQuota === fileQuota ? {} : { file_quota: { before: fileQuota, after: wanted.fileQuota } }),
  };
}

function textOf(quota: number | null): string | null {
  return quota === null ? null : String(quota);
}

function detailOf(wanted: RoleSettings, found: RoleSettings | null): string {
  const { mfa, mfaGraceDays: days, fileQuota: quota } = wanted;
  const texts = [wanted.root ? 'root' : (wanted.description ?? '')];
  if (mfa !== (found?.mfa ?? 'optional') || days !== (found?.mfaGraceDays ?? 0))
    texts.push(`second factor ${mfa}${days > 0 ? ` after ${days} days` : ''}`);
  if (quota !== (found?.fileQuota ?? null)) texts.push(`quota of files ${quota ?? 'as FILES_QUOTA says'}`);
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

async function newestSchemas(manager: EntityManager): Promise<number> {
  const [row] = await manager.query<{ version: number | null }[]>(
    'SELECT max(version) AS version FROM schema_versions',
  );
  return row?.version ?? 0;
}
