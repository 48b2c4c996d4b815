import { declareOnModule } from '../../../kernel/module-settings.js';

/** Permissions that a role has besides those that it is given otherwise. */
export interface RoleGrant {
  readonly role: string;
  /** The role is made if it is not there and has a description; without one it must be there. */
  readonly description?: string;
  /** Resources, or prefixes of them, such as `acme.orders.*`. */
  readonly allow: readonly string[];
}

/** Metadata key of {@link GrantsPermissions}. */
export const ROLE_GRANTS = Symbol('ROLE_GRANTS');

/**
 * Declares permissions that roles have by a module, on its class. They are added at every start, and take nothing away: what
 * a role says of the same resource stays.
 */
export function GrantsPermissions(...grants: readonly RoleGrant[]): ClassDecorator {
  return declareOnModule(ROLE_GRANTS, grants);
}
