import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { cacheReader } from '../../../platform/database/database.public.js';
import { ChangeListener } from '../../../platform/events/change-listener.service.js';
import { Clock } from '../../../kernel/clock.port.js';
import { RuleLanguage } from '../../users/roles/rule-language.port.js';
import { ROLES_TOPIC } from '../../users/users.public.js';
import type { Decision, PermissionRule, PrincipalPermissions } from '../../../kernel/permission-rules.js';
import { cutTo, decide, isOpenBy, patternsOf, type RoutePatterns } from '../../../kernel/permission-rules.js';
import type { AccountPrincipal, Principal, SessionAssurance } from '../../../kernel/principal.types.js';
import { isKey, isRecovered, isUser, OPEN_WITHOUT_FACTOR, PROVIDERS_FACTOR } from './assurance.public.js';
import { RouteAccessInspector } from './route-access.inspector.js';

interface RoleRow {
  readonly id: string;
  readonly name: string;
  readonly root: boolean;
  readonly mfa: FactorRule;
  readonly graceDays: number;
  /** When `mfa` became `required`, in milliseconds since the epoch. */
  readonly mfaSinceMs: number;
  readonly permissions: readonly PermissionRule[];
}

export type FactorRule = 'off' | 'optional' | 'required';

interface CachedPermissions {
  readonly permissions: PrincipalPermissions;
  readonly decisions: Map<string, Decision>;
  readonly demanding: readonly RoleRow[];
  /** True if the principal has roles, and all of them have `mfa` set to `off`. */
  readonly offersNoFactors: boolean;
}

interface Directory {
  readonly byId: ReadonlyMap<string, RoleRow>;
  readonly guest: RoleRow | undefined;
  /** By roles and scopes, because there are few different sets. */
  readonly cache: Map<string, CachedPermissions>;
  /** By principal object, which saves building the key: a session returns the same object for every request. */
  readonly cachedByPrincipal: WeakMap<Principal, CachedPermissions>;
}

const ALLOWED: Decision = { kind: 'allow' };
const DENIED: Decision = { kind: 'deny' };
/** Cached role sets, and cached resources of each. @internal */
const MAX_KEPT = 10_000;
/** Every signed-in account may access its own account, unless a permission denies it. */
const OWN_ACCOUNT: PermissionRule = { resource: 'auth.*', value: 'allow' };

const DAY_MS = 86_400_000;

const LOAD = `SELECT r.id, r.name, r.root, r.mfa, r.mfa_grace_days AS "graceDays",
  coalesce((extract(epoch FROM r.mfa_since) * 1000)::float8, 0) AS "mfaSinceMs",
  coalesce((SELECT json_agg(json_build_object('resource', p.resource, 'value', p.value, 'fields', p.fields, 'schemaVersion', p.schema_version)) FROM permissions p WHERE p.role_id = r.id), '[]') AS permissions
  FROM roles r`;

/** All roles and permissions in memory. They are reloaded after each change notification. */
@Injectable()
export class RoleDirectory implements OnModuleInit {
  private directory: Directory | null = null;
  private loading: Promise<Directory> | null = null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeListener,
    private readonly clock: Clock,
    private readonly routes: RouteAccessInspector,
    private readonly rules: RuleLanguage,
  ) {}

  onModuleInit(): void {
    const forget = (): void => {
      this.directory = null;
      this.loading = null;
    };
    this.changes.subscribe(ROLES_TOPIC, { changed: forget, resync: forget });
  }

  /** Returns no promise if the roles are in memory, which is the usual case. */
  isOpen(principal: Principal, resource: string): boolean | Promise<boolean> {
    return this.withDirectory((directory) => {
      const { permissions, decisions } = cachedPermissions(directory, principal);
      const cached = decisions.get(resource);
      const decision = cached ?? this.decideFor(principal, permissions, resource);
      if (cached === undefined && decisions.size < MAX_KEPT) decisions.set(resource, decision);
      return this.isSatisfied(decision, principal, permissions);
    });
  }

  refusesKey(principal: Principal, resource: string): boolean {
    return isKey(principal) && this.routes.isClosedToKeys(resource);
  }

  isOpenTo(principal: Principal, permissions: PrincipalPermissions, resource: string): boolean {
    return this.isSatisfied(this.decideFor(principal, permissions, resource), principal, permissions);
  }

  /** Returns no promise in the usual case. Principals with the same roles get the same object until a role or permission changes. */
  permissionsOf(principal: Principal): PrincipalPermissions | Promise<PrincipalPermissions> {
    return this.withDirectory((directory) => cachedPermissions(directory, principal).permissions);
  }

  /** For decisions in other services: scopes are applied, and rules are replaced by their current result. */
  async routePatterns(principal: Principal): Promise<RoutePatterns> {
    const own = await this.permissionsOf(principal);
    const patterns = this.patternsOf(principal, own);
    if (!(await this.isRestricted(principal))) return patterns;
    return { ...patterns, allow: OPEN_WITHOUT_FACTOR.filter((name) => isOpenBy(patterns, name)) };
  }

  /** Returns whether routes for any signed-in user are currently open to the principal. */
  async isSignedIn(principal: Principal): Promise<boolean> {
    return isUser(principal) && !(await this.isRestricted(principal));
  }

  /** The grace period starts when the role began to require a factor or the account was created, whichever is later. */
  demandsFactor(principal: AccountPrincipal, nowMs: number): boolean | Promise<boolean> {
    return this.withDirectory((directory) => {
      const { demanding } = cachedPermissions(directory, principal);
      return isDemanded(demanding, principal.assurance?.accountSinceMs ?? 0, nowMs);
    });
  }

  /** The same for a user who is not signed in yet. */
  async demandsFactorOf(roleIds: readonly string[], accountSinceMs: number, nowMs: number): Promise<boolean> {
    const rows = await this.withDirectory(({ byId }) => roleIds.flatMap((id) => byId.get(id) ?? []));
    return isDemanded(rows.filter(demands), accountSinceMs, nowMs);
  }

  /** Returns no promise in the usual case. */
  demandsAnyFactor(): boolean | Promise<boolean> {
    return this.withDirectory(({ byId }) => [...byId.values()].some(demands));
  }

  /** False if all roles of the account have `mfa` set to `off`. */
  async offersFactors(principal: AccountPrincipal): Promise<boolean> {
    return this.withDirectory((directory) => !cachedPermissions(directory, principal).offersNoFactors);
  }

  async names(roleIds: readonly string[]): Promise<string[]> {
    return this.withDirectory(({ byId }) => roleIds.flatMap((id) => byId.get(id)?.name ?? []).sort());
  }

  private patternsOf(principal: Principal, own: PrincipalPermissions): RoutePatterns {
    const closed = isKey(principal) ? this.routes.patternsClosedToKeys() : [];
    const permissions = isUser(principal) ? [OWN_ACCOUNT, ...own.permissions] : own.permissions;
    const isSatisfied = (rules: readonly string[]) =>
      this.isSatisfied({ kind: 'rules', rules: [rules] }, principal, own);
    return patternsOf({ ...own, permissions }, isSatisfied, closed);
  }

  /** Returns whether a second factor is missing: a role requires it, or a recovery code was used and the lost factor is not replaced. */
  private async isRestricted(principal: Principal): Promise<boolean> {
    if (!isUser(principal) || principal.assurance === undefined) return false;
    if (isRecovered(principal.assurance)) return true;
    const { level, hasFactor, amr } = principal.assurance;
    const hasSecondFactor = hasFactor || amr.includes(PROVIDERS_FACTOR);
    return (level < 2 || !hasSecondFactor) && (await this.demandsFactor(principal, this.clock.nowMs()));
  }

  private decideFor(
    principal: Principal,
    { root, permissions }: Pick<PrincipalPermissions, 'root' | 'permissions'>,
    resource: string,
  ): Decision {
    if (this.refusesKey(principal, resource)) return DENIED;
    if (root) return ALLOWED;
    return decide(isUser(principal) ? [OWN_ACCOUNT, ...permissions] : permissions, resource);
  }

  private isSatisfied(decision: Decision, principal: Principal, { roles, level, amr }: PrincipalPermissions): boolean {
    if (decision.kind !== 'rules') return decision.kind === 'allow';
    const { id, email } =
      principal.kind === 'account' ? { id: principal.userId, email: principal.email } : { id: '', email: '' };
    const now = this.clock.now();
    return decision.rules.some((all) =>
      all.every((rule) => this.rules.isSatisfied(rule, { id, email, roles, level, amr }, now)),
    );
  }

  private withDirectory<Result>(read: (directory: Directory) => Result): Result | Promise<Result> {
    const directory = this.changes.isFresh() ? this.directory : null;
    return directory === null ? this.load().then(read) : read(directory);
  }

  private load(): Promise<Directory> {
    this.loading ??= this.read().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  private async read(): Promise<Directory> {
    const { epoch } = this.changes;
    const rows = await cacheReader(this.dataSource).query<RoleRow[]>(LOAD);
    const directory: Directory = {
      byId: new Map(rows.map((row) => [row.id, row])),
      guest: rows.find((row) => row.name === 'guest'),
      cache: new Map(),
      cachedByPrincipal: new WeakMap(),
    };
    if (this.changes.epoch === epoch) this.directory = directory;
    return directory;
  }
}

function demands({ mfa }: RoleRow): boolean {
  return mfa === 'required';
}

function isDemanded(demanding: readonly RoleRow[], accountSinceMs: number, nowMs: number): boolean {
  return demanding.some((role) => nowMs >= Math.max(role.mfaSinceMs, accountSinceMs) + role.graceDays * DAY_MS);
}

function rolesOf(directory: Directory, principal: Principal): readonly string[] {
  if (principal.kind === 'system') return [];
  return principal.kind === 'guest' ? [directory.guest?.id ?? ''] : principal.roleIds;
}

function cachedPermissions(directory: Directory, principal: Principal): CachedPermissions {
  const cachedEntry = directory.cachedByPrincipal.get(principal);
  if (cachedEntry !== undefined) return cachedEntry;
  const roles = rolesOf(directory, principal);
  const { level = 1, amr = [] } = assuranceIn(principal);
  const key = [principal.kind, ...roles, JSON.stringify([scopesOf(principal), level, amr])].join(' ');
  const cached = directory.cache.get(key) ?? cachedOf(directory, principal, roles);
  if (directory.cache.size < MAX_KEPT) directory.cache.set(key, cached);
  directory.cachedByPrincipal.set(principal, cached);
  return cached;
}

function cachedOf({ byId }: Directory, principal: Principal, roles: readonly string[]): CachedPermissions {
  const rows = roles.flatMap((id) => byId.get(id) ?? []);
  const demanding = rows.filter(demands);
  const offersNoFactors = rows.length > 0 && rows.every(({ mfa }) => mfa === 'off');
  return { permissions: collect(rows, principal), decisions: new Map(), demanding, offersNoFactors };
}

/** Rules read these values, so they are part of the cache key. */
function assuranceIn(principal: Principal): Partial<SessionAssurance> {
  return (principal.kind === 'account' ? principal.assurance : undefined) ?? {};
}

function collect(rows: readonly RoleRow[], principal: Principal): PrincipalPermissions {
  const { kind } = principal;
  const { level = 1, amr = [] } = assuranceIn(principal);
  const own = {
    root: kind === 'system' || rows.some((row) => row.root),
    permissions: rows.flatMap((row) => row.permissions),
    roles: kind === 'guest' ? [] : rows.map(({ name }) => name).sort(),
    level,
    amr,
  };
  const scopes = scopesOf(principal);
  return scopes === null || scopes === undefined ? own : cutTo(scopes, own);
}

/** Null for a key without scopes, undefined without a key. */
function scopesOf(principal: Principal): readonly PermissionRule[] | null | undefined {
  return principal.kind === 'account' ? principal.key?.scopes : undefined;
}
