import { Injectable } from '@nestjs/common';
import type { RemotePrincipal } from './guard.types.js';
import { isOpenBy } from './route-patterns.js';

/** Checks the permissions of an account of the issuer, for code outside of route guards. */
@Injectable()
export class LintelAccess {
  /** Returns whether the permissions, at most one second old, allow a resource. Guests have none. */
  can(principal: RemotePrincipal, resource: string): boolean {
    return principal.kind === 'account' && isOpenBy(principal.permissions, resource);
  }
}
