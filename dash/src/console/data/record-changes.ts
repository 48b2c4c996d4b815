/** Values of a record as returned by the API, by field name. */
export type RecordValues = Readonly<Record<string, unknown>>;

export interface PendingRecord {
  readonly id: string;
  readonly base: RecordValues;
  /** `ETag` of that version. */
  readonly tag: string;
  readonly changes: RecordValues;
}

/** Replaces the tag of a record whose `ETag` a proxy removed. `If-Match: *` matches every version. */
export const ANY_VERSION = '*';

export type Pending = ReadonlyMap<string, PendingRecord>;

export interface BatchUpdate {
  readonly op: 'update';
  readonly schema: string;
  readonly id: string;
  readonly data: RecordValues;
  readonly if_match: string;
}

/** A field that both this user and another user changed. */
export interface Conflict {
  readonly field: string;
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
}

const MAX_OPERATIONS = 50;

/** Adds a change. A change back to the original value is removed. */
export function withChange(
  pending: Pending,
  read: Omit<PendingRecord, 'changes'>,
  field: string,
  value: unknown,
): Pending {
  const edited = pending.get(read.id) ?? { ...read, changes: {} };
  const { [field]: _before, ...others } = edited.changes;
  const changes = isSame(edited.base[field], value) ? others : { ...others, [field]: value };
  const next = new Map(pending);
  if (Object.keys(changes).length === 0) next.delete(read.id);
  else next.set(read.id, { ...edited, changes });
  return next;
}

export function countOf(pending: Pending): number {
  return [...pending.values()].reduce((sum, { changes }) => sum + Object.keys(changes).length, 0);
}

export function batchesOf(schema: string, pending: Pending): readonly (readonly BatchUpdate[])[] {
  const all = [...pending.values()].map(({ id, tag, changes }): BatchUpdate => ({
    op: 'update',
    schema,
    id,
    data: writtenValues(changes),
    if_match: tag,
  }));
  return Array.from({ length: Math.ceil(all.length / MAX_OPERATIONS) }, (_, index) =>
    all.slice(index * MAX_OPERATIONS, (index + 1) * MAX_OPERATIONS),
  );
}

/** Returns values in the format of a write request. References are reduced to their keys. */
export function writtenValues(changes: RecordValues): RecordValues {
  return Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, writtenValue(value)]));
}

function writtenValue(value: unknown): unknown {
  if (value instanceof LinkEdit) return writtenLinks(value);
  if (Array.isArray(value) && value.some((item) => isReference(item) || item instanceof NewRecord))
    return value.map(writtenValue);
  if (value instanceof NewRecord) return writtenValues(value.values);
  return isReference(value) ? { [value.key]: value.id } : value;
}

/** Writes a whole list only if the order changed, which requires that all links are loaded. */
function writtenLinks({ added, removed, order }: LinkEdit): unknown {
  if (order !== null) return { $set: order.map(writtenValue) };
  return {
    ...(added.length > 0 && { $add: added.map(writtenValue) }),
    ...(removed.length > 0 && { $remove: removed.map(writtenValue) }),
  };
}

export class Reference {
  constructor(
    readonly key: string,
    readonly id: string | number,
    readonly label: string,
    readonly details: RecordValues = {},
  ) {}
}

/** A record that is created together with the record that refers to it. */
export class NewRecord {
  constructor(
    readonly values: RecordValues,
    readonly label: string,
  ) {}
}

export type Linked = Reference | NewRecord;

/** A change of the links of a to-many relation. It adds and removes single links, so links that are not loaded stay. */
export class LinkEdit {
  /** @param order the complete list, if its order changed; null otherwise or if not all links are loaded. */
  constructor(
    readonly added: readonly Linked[],
    readonly removed: readonly Reference[],
    readonly order: readonly Linked[] | null = null,
  ) {}
}

/** Member of a record that names its truncated relations (docs/guides/data/reading-records.md). */
export const TRUNCATED = '_truncated';

export function truncatedIn(values: RecordValues): readonly string[] {
  return (values[TRUNCATED] as readonly string[] | undefined) ?? [];
}

function isReference(value: unknown): value is Reference {
  return value instanceof Reference;
}

/** Compares two values as JSON. References are compared by key. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one ?? null) === canonical(other ?? null);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (isReference(part)) return { $: part.id };
    if (part instanceof NewRecord) return { $new: part.values };
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([first], [second]) => (first < second ? -1 : 1)));
  });
}

/** Returns the locally changed fields that another user changed to a different value. */
export function conflictsOf({ base, changes }: PendingRecord, theirs: RecordValues): readonly Conflict[] {
  return Object.entries(changes).flatMap(([field, change]) => {
    const ours = change instanceof LinkEdit ? change.order : change;
    // Single additions and removals of links merge with the changes of other users.
    if (change instanceof LinkEdit && ours === null) return [];
    const isTheirs = !isSame(base[field], theirs[field]) && !isSame(ours, theirs[field]);
    return isTheirs ? [{ field, base: base[field], ours, theirs: theirs[field] }] : [];
  });
}

/**
 * Rebases unsaved changes onto a version that another user saved.
 *
 * @param accepted fields whose stored values replace the local changes.
 */
export function rebased(
  record: PendingRecord,
  theirs: RecordValues,
  tag: string,
  accepted: ReadonlySet<string>,
): PendingRecord {
  const truncated = new Set(truncatedIn(theirs));
  const changes = Object.entries(record.changes)
    .filter(([field, ours]) => !accepted.has(field) && !isSame(ours, theirs[field]))
    .map(([field, ours]) => {
      const isUnordered = ours instanceof LinkEdit && truncated.has(field);
      return [field, isUnordered ? new LinkEdit(ours.added, ours.removed) : ours] as const;
    });
  return { id: record.id, base: theirs, tag, changes: Object.fromEntries(changes) };
}
