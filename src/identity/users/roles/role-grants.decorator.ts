import { declareOnModule } from '../../../platform/extension/module-settings.js';

/** Permissions that a module grants a role in addition to its other permissions. */
export interface RoleGrant {
  readonly role: string;
  /** With a description, a missing role is created. Without one, the role must exist. */
  readonly description?: string;
  /** Resources, or prefixes of them, such as `acme.orders.*`. */
  readonly allow: readonly string[];
}

export const ROLE_GRANTS = Symbol('ROLE_GRANTS');

/**
 * Declares on a module class the permissions that it grants to roles. They are added at every start and never remove anything: an existing
 * permission of the role on the same resource is kept.
 */
export function GrantsPermissions(...grants: readonly RoleGrant[]): ClassDecorator {
  return declareOnModule(ROLE_GRANTS, grants);
}
