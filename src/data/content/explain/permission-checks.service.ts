import { Injectable } from '@nestjs/common';
import { permissionFaults } from '../../../identity/users/users.public.js';
import { SchemaSnapshots } from '../../schema/schema-snapshots.service.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { draftRefusal } from '../resolve/rules/rule-fault.js';
import type { RuleRefused } from '../resolve/rules/rule-terms.js';
import type { AskedPermission, CheckedPermissionFault } from './permission-check.dto.js';

/** Checks unsaved permissions with the code that checks saved ones. */
@Injectable()
export class PermissionChecks {
  constructor(private readonly snapshots: SchemaSnapshots) {}

  check(permissions: readonly AskedPermission[]): readonly CheckedPermissionFault[] {
    const { current } = this.snapshots;
    return permissions.flatMap((permission, index) => faultsOf(current, permission, index));
  }
}

function faultsOf(
  snapshot: SchemaSnapshot,
  { resource, value, fields = null }: AskedPermission,
  index: number,
): readonly CheckedPermissionFault[] {
  let refusal: RuleRefused | null = null;
  const faults = permissionFaults({ resource, value, fields }, (name, rule) => {
    refusal = draftRefusal(snapshot, name, rule);
    return refusal && refusal.message;
  });
  return faults.map(({ field, message }) => {
    if (field !== 'value' || refusal === null) return { index, field, message };
    const { start, end } = refusal.range;
    return { index, field, message: refusal.message, start, end };
  });
}
