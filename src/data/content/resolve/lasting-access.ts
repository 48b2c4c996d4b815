import type { PrincipalPermissions } from '../../../kernel/permission-rules.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import type { SchemaAccess } from './content-access.types.js';

/** Access by permissions that ask neither who nor when, the same for each request of those who have them: by resource. */
export type LastingAccess = Map<string, SchemaAccess>;

/** Gone with the permissions, which are other objects when a role changes, and with the schemas. */
const KEPT = new WeakMap<PrincipalPermissions, WeakMap<SchemaSnapshot, LastingAccess>>();

/** Returns what is kept for permissions over a snapshot: the same object each time. */
export function lastingAccess(permissions: PrincipalPermissions, snapshot: SchemaSnapshot): LastingAccess {
  let bySnapshot = KEPT.get(permissions);
  if (bySnapshot === undefined) KEPT.set(permissions, (bySnapshot = new WeakMap()));
  let kept = bySnapshot.get(snapshot);
  if (kept === undefined) bySnapshot.set(snapshot, (kept = new Map()));
  return kept;
}
