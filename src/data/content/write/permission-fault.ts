import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { permissionFaults } from '../../../identity/users/users.public.js';
import { ruleFault } from '../resolve/rule-fault.js';
import type { RecordWrite } from '../resolve/write.types.js';
import type { WriteFaults } from '../resolve/write-faults.js';
import type { LockedRecord } from './locked-record.types.js';

const MEMBERS = ['resource', 'value', 'fields'] as const;

/**
 * Notes what is wrong with a permission as it will be, whatever of it is written, and binds it to the schemas that it was
 * judged by: from now on it means what has its names in them.
 */
export function judgePermission(
  write: RecordWrite,
  locked: LockedRecord | null,
  snapshot: SchemaSnapshot,
  faults: WriteFaults,
): void {
  if (!MEMBERS.some((name) => write.names.has(name))) return;
  const [resource, value, fields] = MEMBERS.map((name) => {
    const written = write.values.get(name)?.value;
    if (written === undefined) return locked?.values[name];
    return name === 'fields' && typeof written === 'string' ? (JSON.parse(written) as unknown) : written;
  });
  const check = (about: string, rule: string): string | null => ruleFault(snapshot, about, rule);
  for (const { field, message } of permissionFaults({ resource, value, fields }, check))
    faults.add(field, 'value_invalid', message);
  write.values.set('schema_version', { value: snapshot.version, sqlType: 'integer' });
}
