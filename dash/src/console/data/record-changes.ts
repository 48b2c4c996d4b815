/** A record as it is answered. */
export type RecordValues = Readonly<Record<string, unknown>>;

/** Changes of a record that are meant, and what it was when that began. */
export interface PendingRecord {
  readonly id: string;
  /** The record as it was read. */
  readonly base: RecordValues;
  /** Its `ETag` then. */
  readonly tag: string;
  readonly changes: RecordValues;
}

/** Tag of a record that was answered without an `ETag`: a proxy has removed it. The service accepts every version for it. */
export const ANY_VERSION = '*';

/** Changes that wait to be saved, by the id of the record. */
export type Pending = ReadonlyMap<string, PendingRecord>;

/** An operation of `POST /api/batch`. */
export interface BatchUpdate {
  readonly op: 'update';
  readonly schema: string;
  readonly id: string;
  readonly data: RecordValues;
  readonly if_match: string;
}

/** A field that was changed here and there. */
export interface Conflict {
  readonly field: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** The operations that one batch takes. */
const MOST_OPERATIONS = 50;

/** Adds a change; one back to what it was goes. */
export function withChange(
  pending: Pending,
  read: Omit<PendingRecord, 'changes'>,
  field: string,
  value: unknown,
): Pending {
  const known = pending.get(read.id) ?? { ...read, changes: {} };
  const { [field]: _before, ...others } = known.changes;
  const changes = isSame(known.base[field], value) ? others : { ...others, [field]: value };
  const next = new Map(pending);
  if (Object.keys(changes).length === 0) next.delete(read.id);
  else next.set(read.id, { ...known, changes });
  return next;
}

/** Returns the number of values that wait. */
export function countOf(pending: Pending): number {
  return [...pending.values()].reduce((sum, { changes }) => sum + Object.keys(changes).length, 0);
}

/** Returns the batches that save everything, each as large as one may be. */
export function batchesOf(schema: string, pending: Pending): readonly (readonly BatchUpdate[])[] {
  const all = [...pending.values()].map(({ id, tag, changes }): BatchUpdate => ({
    op: 'update',
    schema,
    id,
    data: writtenValues(changes),
    if_match: tag,
  }));
  return Array.from({ length: Math.ceil(all.length / MOST_OPERATIONS) }, (_, at) =>
    all.slice(at * MOST_OPERATIONS, (at + 1) * MOST_OPERATIONS),
  );
}

/** Returns values as a write takes them: relations by their keys alone. */
export function writtenValues(changes: RecordValues): RecordValues {
  return Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, writtenValue(value)]));
}

function writtenValue(value: unknown): unknown {
  if (value instanceof LinkEdit) return writtenLinks(value);
  if (Array.isArray(value) && value.some((one) => isReference(one) || one instanceof NewRecord))
    return value.map(writtenValue);
  if (value instanceof NewRecord) return writtenValues(value.values);
  return isReference(value) ? { [value.key]: value.id } : value;
}

/** Returns an edit as a write. Only a changed order is a whole list, and only if the whole list is known. */
function writtenLinks({ added, removed, order }: LinkEdit): unknown {
  if (order !== null) return { $set: order.map(writtenValue) };
  return {
    ...(added.length > 0 && { $add: added.map(writtenValue) }),
    ...(removed.length > 0 && { $remove: removed.map(writtenValue) }),
  };
}

/** Target of a relation, as a page keeps it: the key by its name, and what it is called. */
export class Reference {
  constructor(
    readonly key: string,
    readonly id: string | number,
    readonly label: string,
    /** Details of it that are known besides: of a file its type and size. */
    readonly details: RecordValues = {},
  ) {}
}

/** A record that is made together with the one that leads to it. */
export class NewRecord {
  constructor(
    readonly values: RecordValues,
    readonly label: string,
  ) {}
}

/** A record that a relation leads to, or one that is created with the record. */
export type Linked = Reference | NewRecord;

/** A change of the links of a relation to many. It adds and removes single links, so links that are not shown stay. */
export class LinkEdit {
  /** @param order the whole list if its order was changed; only of a complete list. */
  constructor(
    readonly added: readonly Linked[],
    readonly removed: readonly Reference[],
    readonly order: readonly Linked[] | null = null,
  ) {}
}

/** The member of a record that names the relations of which not all links are returned (docs/content.md). */
export const TRUNCATED = '_truncated';

/** Returns the relations of which not all links are shown. */
export function truncatedIn(values: RecordValues): readonly string[] {
  return (values[TRUNCATED] as readonly string[] | undefined) ?? [];
}

function isReference(value: unknown): value is Reference {
  return value instanceof Reference;
}

/** Returns whether two values are the same: as JSON, and relations by their keys. */
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

/** Returns what somebody else changed of the fields that are changed here. */
export function conflictsOf({ base, changes }: PendingRecord, theirs: RecordValues): readonly Conflict[] {
  return Object.entries(changes).flatMap(([field, change]) => {
    const mine = change instanceof LinkEdit ? change.order : change;
    // Links that are added and removed one by one go together with those of others.
    if (change instanceof LinkEdit && mine === null) return [];
    const isTheirs = !isSame(base[field], theirs[field]) && !isSame(mine, theirs[field]);
    return isTheirs ? [{ field, base: base[field], mine, theirs: theirs[field] }] : [];
  });
}

/**
 * Returns what remains to be changed of a record that somebody else has changed: what is said of each conflict, everything else as it
 * was meant.
 */
export function rebased(
  record: PendingRecord,
  theirs: RecordValues,
  tag: string,
  taken: ReadonlySet<string>,
): PendingRecord {
  const truncated = new Set(truncatedIn(theirs));
  const changes = Object.entries(record.changes)
    .filter(([field, mine]) => !taken.has(field) && !isSame(mine, theirs[field]))
    .map(([field, mine]) => {
      const isUnordered = mine instanceof LinkEdit && truncated.has(field);
      return [field, isUnordered ? new LinkEdit(mine.added, mine.removed) : mine] as const;
    });
  return { id: record.id, base: theirs, tag, changes: Object.fromEntries(changes) };
}
