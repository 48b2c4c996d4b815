import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { ruleFault } from '../resolve/rule-fault.js';
import type { RecordWrite } from '../resolve/write.types.js';
import type { WriteFaults } from '../resolve/write-faults.js';

const RESOURCE = /^(?:\*|[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*(?:\.\*)?)$/i;

/** Notes what is wrong with a permission that is written; a change names resource and value together. */
export function permissionFault(write: RecordWrite, snapshot: SchemaSnapshot, faults: WriteFaults): void {
  const { values, names } = write;
  if (!names.has('resource') && !names.has('value') && !names.has('fields')) return;
  const resource = values.get('resource')?.value;
  const value = values.get('value')?.value;
  if (names.has('resource') !== names.has('value')) {
    faults.add(names.has('value') ? 'resource' : 'value', 'required', 'is written together with the other');
    return;
  }
  if (names.has('resource') && !(typeof resource === 'string' && RESOURCE.test(resource)))
    faults.add('resource', 'value_invalid', 'must be a dotted name such as content.post.list, or a prefix');
  else if (typeof resource === 'string' && typeof value === 'string') {
    const fault = ruleFault(snapshot, resource, value);
    if (fault !== null)
      faults.add('value', 'value_invalid', `${fault.message} (${fault.range.start} to ${fault.range.end})`);
  }
  const fields = values.get('fields')?.value;
  if (typeof fields === 'string' && !isFieldLists(JSON.parse(fields)))
    faults.add('fields', 'value_invalid', 'must be {"read": […], "write": […]}');
}

function isFieldLists(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value === null;
  return Object.entries(value).every(([name, list]) => {
    const isKnown = name === 'read' || name === 'write';
    return isKnown && Array.isArray(list) && list.every((entry) => typeof entry === 'string');
  });
}
