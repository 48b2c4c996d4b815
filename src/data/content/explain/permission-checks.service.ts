import { Injectable } from '@nestjs/common';
import { permissionFaults } from '../../../identity/users/users.public.js';
import { SchemaSnapshots } from '../../schema/schema-snapshots.service.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { ruleFault, ruleRefusal } from '../resolve/rule-fault.js';
import type { AskedPermission, CheckedPermissionFault } from './permission-check.dto.js';

/** Judges permissions that are not saved, by the code that judges those that are. */
@Injectable()
export class PermissionChecks {
  constructor(private readonly snapshots: SchemaSnapshots) {}

  /** Returns everything that is wrong with them, by the schemas in force; that of a rule with its place in it. */
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
  const faults = permissionFaults({ resource, value, fields }, (name, rule) => ruleFault(snapshot, name, rule));
  const refusal = faults.some(({ field }) => field === 'resource') ? null : refusalOf(snapshot, resource, value);
  return faults.map(({ field, message }) => {
    if (field !== 'value' || refusal === null) return { index, field, message };
    const { start, end } = refusal.range;
    return { index, field, message: refusal.message, start, end };
  });
}

function refusalOf(snapshot: SchemaSnapshot, resource: unknown, value: unknown): ReturnType<typeof ruleRefusal> {
  if (typeof resource !== 'string' || typeof value !== 'string' || !isRule(value)) return null;
  return ruleRefusal(snapshot, resource, value);
}

/** What is too long, or of characters that cannot be stored, is refused before it is read. */
function isRule(value: string): boolean {
  return value.trim() !== '' && value.length <= 4_000 && value.isWellFormed() && !value.includes('\0');
}
