import {
  LinkEdit,
  type Linked,
  NewRecord,
  type RecordValues,
  Reference,
  TRUNCATED,
  truncatedIn,
} from './record-changes.js';

/**
 * Returns the edit that turns the links of a record into a list; null if nothing changes.
 *
 * @param before the previous edit, whose removed links may not be loaded.
 */
export function linkEdit(
  base: RecordValues,
  field: string,
  list: readonly unknown[],
  before: unknown,
): LinkEdit | null {
  const loaded = linksIn(base[field]);
  const edited = linksIn(list);
  const [loadedKeys, editedKeys] = [new Set(loaded.map(keyOf)), new Set(edited.map(keyOf))];
  const isShown = (item: Linked): boolean => loadedKeys.has(keyOf(item));
  const hidden = before instanceof LinkEdit ? before.removed.filter((item) => !isShown(item)) : [];
  const added = edited.filter((item) => !isShown(item));
  const removed = [
    ...loaded.filter((item) => item instanceof Reference && !editedKeys.has(keyOf(item))),
    ...hidden.filter((item) => !editedKeys.has(keyOf(item))),
  ] as Reference[];
  const remaining = loaded.filter((item) => editedKeys.has(keyOf(item)));
  const isMoved = [...remaining, ...added].some(
    (item, index) => edited[index] !== undefined && keyOf(item) !== keyOf(edited[index]),
  );
  const order = isMoved && !truncatedIn(base).includes(field) ? edited : null;
  return added.length + removed.length === 0 && order === null ? null : new LinkEdit(added, removed, order);
}

export function editedLinks(loaded: unknown, { added, removed, order }: LinkEdit): readonly Linked[] {
  if (order !== null) return order;
  const removedKeys = new Set(removed.map(keyOf));
  const remaining = linksIn(loaded).filter((item) => !removedKeys.has(keyOf(item)));
  const keys = new Set(remaining.map(keyOf));
  return [...remaining, ...added.filter((item) => !keys.has(keyOf(item)))];
}

/** Adds further links of a relation to a record. A complete relation is no longer marked as truncated. */
export function withMoreLinks(
  values: RecordValues,
  field: string,
  more: readonly Reference[],
  isComplete: boolean,
): RecordValues {
  const loaded = linksIn(values[field]);
  const keys = new Set(loaded.map(keyOf));
  const truncated = truncatedIn(values).filter((name) => name !== field || !isComplete);
  return { ...values, [field]: [...loaded, ...more.filter((item) => !keys.has(keyOf(item)))], [TRUNCATED]: truncated };
}

export function joinedParts(parts: readonly RecordValues[]): RecordValues {
  const truncated = parts.flatMap(truncatedIn);
  const values = Object.assign({}, ...parts) as RecordValues;
  return truncated.length === 0 ? values : { ...values, [TRUNCATED]: truncated };
}

function linksIn(value: unknown): readonly Linked[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.filter((item) => item instanceof Reference || item instanceof NewRecord);
}

function keyOf(item: Linked): unknown {
  return item instanceof Reference ? item.id : item;
}
