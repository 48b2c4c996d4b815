import type { PrincipalPermissions } from '../../../kernel/permission-rules.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import type { SchemaAccess } from './content-access.types.js';

/**
 * Access by resource, for permissions that do not depend on the account or the time. It is the same for all requests with these
 * permissions.
 */
export type LastingAccess = Map<string, SchemaAccess>;

/** Cache by permissions and snapshot. A role change creates new permission objects. */
const KEPT = new WeakMap<PrincipalPermissions, WeakMap<SchemaSnapshot, LastingAccess>>();

export function lastingAccess(permissions: PrincipalPermissions, snapshot: SchemaSnapshot): LastingAccess {
  let bySnapshot = KEPT.get(permissions);
  if (bySnapshot === undefined) KEPT.set(permissions, (bySnapshot = new WeakMap()));
  let kept = bySnapshot.get(snapshot);
  if (kept === undefined) bySnapshot.set(snapshot, (kept = new Map()));
  return kept;
}
