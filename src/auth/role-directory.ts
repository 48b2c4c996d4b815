import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ChangeFeed } from '../database/change-feed.js';
import { ROLES_TOPIC } from '../users/change-topics.js';
import type { Decision, PermissionRule, PrincipalPermissions } from './permission-rules.js';
import { decide } from './permission-rules.js';
import type { Principal } from './principal.types.js';

interface RoleRow {
  readonly id: string;
  readonly name: string;
  readonly root: boolean;
  readonly permissions: readonly PermissionRule[];
}

interface Directory {
  readonly byId: ReadonlyMap<string, RoleRow>;
  readonly guest: RoleRow | undefined;
  /** Decisions already made, by roles and resource; there are few of either. */
  readonly decisions: Map<string, Decision>;
  /** What was gathered, by roles. */
  readonly gathered: Map<string, PrincipalPermissions>;
}

const ALLOWED: Decision = { kind: 'allow' };
const MAX_DECISIONS = 10_000;
/** What every signed-in account may do with its own account, unless a permission denies it. */
const OWN_ACCOUNT: PermissionRule = { resource: 'auth.*', value: 'allow' };

const LOAD = `SELECT r.id, r.name, r.root,
  coalesce((SELECT json_agg(json_build_object('resource', p.resource, 'value', p.value, 'fields', p.fields)) FROM permissions p WHERE p.role_id = r.id), '[]') AS permissions
  FROM roles r`;

/** All roles and permissions in memory, as new as the last notice of a change. */
@Injectable()
export class RoleDirectory implements OnModuleInit {
  private directory: Directory | null = null;
  private loading: Promise<Directory> | null = null;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeFeed,
  ) {}

  onModuleInit(): void {
    const forget = (): void => {
      this.directory = null;
      this.loading = null;
    };
    this.changes.subscribe(ROLES_TOPIC, { changed: forget, resync: forget });
  }

  /** What the permissions say of the resource for the principal. Answers at once in the usual case. */
  decide(principal: Principal, resource: string): Decision | Promise<Decision> {
    const directory = this.changes.isFresh() ? this.directory : null;
    if (directory !== null) return decideIn(directory, principal, resource);
    return this.load().then((loaded) => decideIn(loaded, principal, resource));
  }

  /**
   * Everything that the permissions say for the principal, for those who decide record by record. Answers at once in the
   * usual case, and the very same object to principals with the same roles, until a role or permission changes.
   */
  permissionsOf(principal: Principal): PrincipalPermissions | Promise<PrincipalPermissions> {
    const directory = this.changes.isFresh() ? this.directory : null;
    if (directory !== null) return permissionsIn(directory, principal);
    return this.load().then((loaded) => permissionsIn(loaded, principal));
  }

  /** The names of roles, in alphabetical order. */
  async names(roleIds: readonly string[]): Promise<string[]> {
    const { byId } = (this.changes.isFresh() ? this.directory : null) ?? (await this.load());
    return roleIds.flatMap((id) => byId.get(id)?.name ?? []).sort();
  }

  private load(): Promise<Directory> {
    this.loading ??= this.read().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  private async read(): Promise<Directory> {
    const { epoch } = this.changes;
    const rows = await this.dataSource.query<RoleRow[]>(LOAD);
    const directory: Directory = {
      byId: new Map(rows.map((row) => [row.id, row])),
      guest: rows.find((row) => row.name === 'guest'),
      decisions: new Map(),
      gathered: new Map(),
    };
    if (this.changes.epoch === epoch) this.directory = directory;
    return directory;
  }
}

function rolesOf(directory: Directory, principal: Principal): readonly string[] {
  return principal.kind === 'guest' ? [directory.guest?.id ?? ''] : principal.roleIds;
}

/** What everything that the roles of the principal say means for a resource. */
export function decideFor(
  { kind }: Principal,
  { root, permissions }: Pick<PrincipalPermissions, 'root' | 'permissions'>,
  resource: string,
): Decision {
  if (root) return ALLOWED;
  return decide(kind === 'account' ? [OWN_ACCOUNT, ...permissions] : permissions, resource);
}

function decideIn(directory: Directory, principal: Principal, resource: string): Decision {
  const roles = rolesOf(directory, principal);
  const key = `${principal.kind} ${resource} ${roles.join(' ')}`;
  const known = directory.decisions.get(key);
  if (known !== undefined) return known;
  const rows = roles.flatMap((id) => directory.byId.get(id) ?? []);
  const said = { root: rows.some((row) => row.root), permissions: rows.flatMap((row) => row.permissions) };
  const decision = decideFor(principal, said, resource);
  if (directory.decisions.size < MAX_DECISIONS) directory.decisions.set(key, decision);
  return decision;
}

function permissionsIn(directory: Directory, principal: Principal): PrincipalPermissions {
  const roles = rolesOf(directory, principal);
  const key = `${principal.kind} ${roles.join(' ')}`;
  const known = directory.gathered.get(key);
  if (known !== undefined) return known;
  const rows = roles.flatMap((id) => directory.byId.get(id) ?? []);
  const gathered: PrincipalPermissions = {
    root: rows.some((row) => row.root),
    permissions: rows.flatMap((row) => row.permissions),
    roles: principal.kind === 'guest' ? [] : rows.map(({ name }) => name).sort(),
  };
  if (directory.gathered.size < MAX_DECISIONS) directory.gathered.set(key, gathered);
  return gathered;
}
