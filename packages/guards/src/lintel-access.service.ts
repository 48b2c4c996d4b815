import { Injectable } from '@nestjs/common';
import type { RemotePrincipal } from './guard.types.js';
import { isOpenBy } from './route-patterns.js';

/** Answers what an account of the issuer may do, for code beside the guard of a route. */
@Injectable()
export class LintelAccess {
  /** Returns whether the permissions, as they were at most one second ago, open a resource. Guests have none. */
  can(principal: RemotePrincipal, resource: string): boolean {
    return principal.kind === 'account' && isOpenBy(principal.permissions, resource);
  }
}
