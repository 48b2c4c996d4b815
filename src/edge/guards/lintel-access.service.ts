import { Injectable } from '@nestjs/common';
import { isOpenBy } from '../../kernel/permission-rules.js';
import type { RemotePrincipal } from './guard.types.js';

/** Says what an account of the issuer may do, for those who must know it beside the guard of a route. */
@Injectable()
export class LintelAccess {
  /** Returns whether the permissions that the issuer gave, at most a second ago, open a resource; to guests nothing is open. */
  can(principal: RemotePrincipal, resource: string): boolean {
    return principal.kind === 'account' && isOpenBy(principal.permissions, resource);
  }
}
