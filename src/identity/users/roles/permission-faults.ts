import { isStorable } from '../../../kernel/text/storable-text.js';
import { isPlainText } from '../../../platform/http/input/field.decorator.js';
import { defineLimit } from '../../../kernel/limits.js';

/** A missing list covers all fields. */
export interface PermissionFields {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

/** A permission as a roles file, a command or the API submits it. */
export interface PermissionDefinition {
  readonly resource: string;
  /** `allow`, `deny`, or a rule in CEL. */
  readonly value: string;
  readonly fields: PermissionFields | null;
}

export interface PermissionFault {
  readonly field: keyof PermissionDefinition | 'fields.read' | 'fields.write';
  /** Begins with a verb: `must be …`. */
  readonly message: string;
}

/** Returns why a text is not a valid rule for a resource, or null. */
export type RuleCheck = (resource: string, rule: string) => string | null;

const RESOURCE = /^(?:\*|[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*(?:\.\*)?)$/i;
const MAX_RESOURCE_LENGTH = defineLimit(255, 'Permissions', 'characters of a resource', 'field_invalid');
const MAX_RULE_LENGTH = defineLimit(4_000, 'Permissions', 'characters of a rule', 'field_invalid');

/** The API, the roles file and the command line share this check, so that no invalid value is stored. */
export function permissionFaults(
  { resource, value, fields }: Readonly<Record<keyof PermissionDefinition, unknown>>,
  ruleFault: RuleCheck,
): readonly PermissionFault[] {
  const isNamed = typeof resource === 'string' && resource.length <= MAX_RESOURCE_LENGTH && RESOURCE.test(resource);
  const faults: PermissionFault[] = [];
  if (!isNamed) {
    const message = 'must be a dotted name such as content.post.list, or a prefix such as content.post.*';
    faults.push({ field: 'resource', message });
  }
  const reason = valueFault(isNamed ? resource : null, value, ruleFault);
  if (reason !== null) faults.push({ field: 'value', message: `must be allow, deny, or a rule${reason}` });
  return [...faults, ...listFaults(fields)];
}

/** Returns the end of the message, or null. */
function valueFault(resource: string | null, value: unknown, ruleFault: RuleCheck): string | null {
  if (value === 'allow' || value === 'deny') return null;
  if (typeof value !== 'string' || value.trim() === '') return '';
  if (value.length > MAX_RULE_LENGTH) return ` of at most ${MAX_RULE_LENGTH} characters`;
  if (!isStorable(value)) return ' of characters that can be stored';
  const reason = resource === null ? null : ruleFault(resource, value);
  return reason === null ? null : `: ${reason}`;
}

function listFaults(fields: unknown): readonly PermissionFault[] {
  if (fields === null || fields === undefined) return [];
  if (typeof fields !== 'object' || Array.isArray(fields)) return [{ field: 'fields', message: 'must be an object' }];
  return Object.entries(fields).flatMap(([name, list]): readonly PermissionFault[] => {
    if (name !== 'read' && name !== 'write')
      return [
        { field: 'fields', message: `has the unknown member ${JSON.stringify(name)}. Known members: read, write` },
      ];
    if (Array.isArray(list) && list.every((entry) => typeof entry === 'string' && isPlainText(entry))) return [];
    return [{ field: `fields.${name}`, message: 'must be a list of field names' }];
  });
}
