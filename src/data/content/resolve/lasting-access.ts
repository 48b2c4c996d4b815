import type { PrincipalPermissions } from '../../../kernel/permission-rules.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import type { WrittenAnswer } from '../plan/write-plan.types.js';
import type { SchemaAccess } from './content-access.types.js';

/** What follows from permissions that ask neither who nor when: it is the same for each request of those who have them. */
export interface LastingAccess {
  /** What they open, by the resource of an action on a schema. */
  readonly opened: Map<string, SchemaAccess>;
  /** What is answered of a written record where nothing is said of that, by the name of its schema. */
  readonly answers: Map<string, WrittenAnswer>;
}

/** Gone with the permissions, which are other objects when a role changes, and with the schemas. */
const KEPT = new WeakMap<PrincipalPermissions, WeakMap<SchemaSnapshot, LastingAccess>>();

/** Returns what is kept for permissions over a snapshot. */
export function lastingAccess(permissions: PrincipalPermissions, snapshot: SchemaSnapshot): LastingAccess {
  let bySnapshot = KEPT.get(permissions);
  if (bySnapshot === undefined) KEPT.set(permissions, (bySnapshot = new WeakMap()));
  let kept = bySnapshot.get(snapshot);
  if (kept === undefined) bySnapshot.set(snapshot, (kept = { opened: new Map(), answers: new Map() }));
  return kept;
}
