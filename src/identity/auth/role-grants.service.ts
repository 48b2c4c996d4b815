import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import { declaredIn } from '../../kernel/module-settings.js';
import { ROLE_GRANTS, type RoleGrant } from '../users/roles/role-grants.decorator.js';
import { RoleSeeder } from '../users/users.public.js';
import { RouteAccessInspector } from './access/route-access.inspector.js';

/** Gives roles what modules grant by `@GrantsPermissions`. */
@Injectable()
export class RoleGrants {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly routes: RouteAccessInspector,
    private readonly seeder: RoleSeeder,
  ) {}

  /** @throws DefinitionError for a grant of a resource, or to a role, that there is not. */
  async apply(): Promise<void> {
    const grants = declaredIn<readonly RoleGrant[]>(this.modules, ROLE_GRANTS).flatMap(({ declared }) => declared);
    if (grants.length === 0) return;
    const ofRoutes = this.routes
      .list()
      .flatMap(({ access }) => (access?.public === false ? (access.resource ?? []) : []));
    const resources = new Set([...ofRoutes, ...this.routes.resources()]);
    for (const { role, allow } of grants)
      for (const name of allow) if (!this.isDeclaredWhole(name)) assertKnown(name, role, resources);
    await this.seeder.grant(grants);
  }

  /** Returns whether a module declares all that begin so: their routes may stand in another service. */
  private isDeclaredWhole(name: string): boolean {
    return name.endsWith('.*') && this.routes.isDeclared(name);
  }
}

function assertKnown(name: string, role: string, resources: ReadonlySet<string>): void {
  const isThere = name.endsWith('.*')
    ? [...resources].some((resource) => resource.startsWith(name.slice(0, -1)))
    : resources.has(name);
  // What stands behind `content` is a matter of schemas, which come and go.
  if (isThere || /^content\.[a-z]/.test(name)) return;
  throw new DefinitionError(
    `The role ${role} is granted ${name}, and no module declares such a resource: check its spelling.`,
  );
}
