import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../kernel/principal.types.js';
import { RoleDirectory } from './role-directory.js';
import { RouteAccessInspector } from './route-access.inspector.js';

/** Says what a principal may do, for those who must know it beside the guard of a route. */
@Injectable()
export class Access {
  constructor(
    private readonly roles: RoleDirectory,
    private readonly inspector: RouteAccessInspector,
  ) {}

  /**
   * Returns whether the permissions of the principal open a resource at this moment.
   *
   * @throws TypeError for a resource that no module declares: a name that is spelt wrongly would be shut for ever.
   */
  async can(principal: Principal, resource: string): Promise<boolean> {
    if (!this.inspector.isDeclared(resource))
      throw new TypeError(`No module declares the resource ${resource}: check its spelling, or declare it.`);
    return this.roles.isOpen(principal, resource);
  }
}
