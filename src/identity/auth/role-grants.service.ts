import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import { declaredIn } from '../../platform/extension/module-settings.js';
import { ROLE_GRANTS, type RoleGrant } from '../users/roles/role-grants.decorator.js';
import { RoleSeeder } from '../users/users.public.js';
import { RouteAccessInspector } from './access/route-access.inspector.js';

@Injectable()
export class RoleGrants {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly routes: RouteAccessInspector,
    private readonly seeder: RoleSeeder,
  ) {}

  /** @throws DefinitionError for a grant of an unknown resource, or to an unknown role. */
  async apply(): Promise<void> {
    const grants = declaredIn<readonly RoleGrant[]>(this.modules, ROLE_GRANTS).flatMap(({ declared }) => declared);
    if (grants.length === 0) return;
    const ofRoutes = this.routes
      .list()
      .flatMap(({ access }) => (access?.public === false ? (access.resource ?? []) : []));
    const resources = new Set([...ofRoutes, ...this.routes.resources()]);
    for (const { role, allow } of grants)
      for (const name of allow) if (!this.isResourceDeclared(name)) assertKnown(name, role, resources);
    await this.seeder.grant(grants);
  }

  /** A module may declare a whole prefix whose routes are in another service. */
  private isResourceDeclared(name: string): boolean {
    return name.endsWith('.*') && this.routes.isDeclared(name);
  }
}

function assertKnown(name: string, role: string, resources: ReadonlySet<string>): void {
  const exists = name.endsWith('.*')
    ? [...resources].some((resource) => resource.startsWith(name.slice(0, -1)))
    : resources.has(name);
  // Resources below `content` depend on schemas, which can be added and removed.
  if (exists || /^content\.[a-z]/.test(name)) return;
  throw new DefinitionError(
    `The role ${role} is granted ${name}, which no module declares as a resource. Check the spelling.`,
  );
}
