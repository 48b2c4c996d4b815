import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../kernel/principal.types.js';
import { RoleDirectory } from './role-directory.js';
import { RouteAccessInspector } from './route-access.inspector.js';

/** Checks permissions of a principal outside the route guards. */
@Injectable()
export class Access {
  constructor(
    private readonly roles: RoleDirectory,
    private readonly inspector: RouteAccessInspector,
  ) {}

  /**
   * Returns whether the permissions of the principal currently allow a resource.
   *
   * @throws TypeError for a resource that no module declares, because a misspelt name would always be denied.
   */
  async can(principal: Principal, resource: string): Promise<boolean> {
    if (!this.inspector.isDeclared(resource))
      throw new TypeError(`No module declares the resource ${resource}. Check the spelling, or declare it.`);
    return this.roles.isOpen(principal, resource);
  }
}
