import type { RecordOperation, RecordValues } from '../../../../identity/records/record-event.types.js';
import { actorOf, changedFields, defineAuditActions } from '../../../../platform/audit/audit.public.js';
import type { AuditAction, AuditEvent, FieldChanges } from '../../../../platform/audit/audit.types.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import type { ContentContext } from '../../content-context.service.js';
import { defineLimit } from '../../../../kernel/limits.js';

const ACTIONS = defineAuditActions('Records', {
  'record.create': 'A record was created.',
  'record.update': 'A record was changed.',
  'record.delete': 'A record was deleted.',
  'record.restore': 'A deleted record was restored.',
});

declare module '../../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const OPERATIONS: Readonly<Record<RecordOperation, AuditAction>> = {
  create: 'record.create',
  update: 'record.update',
  delete: 'record.delete',
  restore: 'record.restore',
};

/** Longer values (as JSON) are omitted from the audit log. The field name is still recorded. */
const MAX_CHARACTERS = defineLimit(2_000, 'Audit log', 'characters of a value in the audit log', null);

export interface RecordedWrite {
  readonly schema: LinkedSchema;
  readonly operation: RecordOperation;
  /** Empty if only the statement knows the id. */
  readonly id: string;
  readonly names: ReadonlySet<string>;
  readonly before?: RecordValues | null;
  readonly after?: RecordValues | null;
}

/** Returns the audit event of a write: field names, and values if the schema has `audit: values`. */
export function recordedEvent(write: RecordedWrite, { principal, origin, now: at }: ContentContext): AuditEvent {
  const { schema, operation, id, names } = write;
  const named = changedFields([...names].filter((name) => Object.hasOwn(schema.fields, name)));
  const changes = schema.definition.audit === 'values' ? { ...named, ...valuesOf(write) } : named;
  const resource = `${schema.name}:${id}`;
  return { action: OPERATIONS[operation], actor: actorOf(principal), resource, origin, changes, at };
}

function valuesOf({ schema, before, after }: RecordedWrite): FieldChanges {
  const changed = Object.values(schema.fields).flatMap((field) => {
    if (field.kind !== 'value' || field.hidden || field.generated !== undefined) return [];
    const [was, is] = [before?.[field.name] ?? null, after?.[field.name] ?? null];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [[field.name, { ...valueOf('before', was), ...valueOf('after', is) }] as const];
  });
  return Object.fromEntries(changed);
}

function valueOf(side: 'before' | 'after', value: unknown): Readonly<Record<string, unknown>> {
  return value === null || JSON.stringify(value).length > MAX_CHARACTERS ? {} : { [side]: value };
}
