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
  const shown = linksIn(base[field]);
  const wanted = linksIn(list);
  const [shownKeys, wantedKeys] = [new Set(shown.map(keyOf)), new Set(wanted.map(keyOf))];
  const isShown = (one: Linked): boolean => shownKeys.has(keyOf(one));
  const hidden = before instanceof LinkEdit ? before.removed.filter((one) => !isShown(one)) : [];
  const added = wanted.filter((one) => !isShown(one));
  const removed = [
    ...shown.filter((one) => one instanceof Reference && !wantedKeys.has(keyOf(one))),
    ...hidden.filter((one) => !wantedKeys.has(keyOf(one))),
  ] as Reference[];
  const kept = shown.filter((one) => wantedKeys.has(keyOf(one)));
  const isMoved = [...kept, ...added].some((one, at) => wanted[at] !== undefined && keyOf(one) !== keyOf(wanted[at]));
  const order = isMoved && !truncatedIn(base).includes(field) ? wanted : null;
  return added.length + removed.length === 0 && order === null ? null : new LinkEdit(added, removed, order);
}

export function editedLinks(shown: unknown, { added, removed, order }: LinkEdit): readonly Linked[] {
  if (order !== null) return order;
  const gone = new Set(removed.map(keyOf));
  const kept = linksIn(shown).filter((one) => !gone.has(keyOf(one)));
  const keys = new Set(kept.map(keyOf));
  return [...kept, ...added.filter((one) => !keys.has(keyOf(one)))];
}

/** Adds further links of a relation to a record. A complete relation is no longer marked as truncated. */
export function withMoreLinks(
  values: RecordValues,
  field: string,
  more: readonly Reference[],
  isComplete: boolean,
): RecordValues {
  const shown = linksIn(values[field]);
  const keys = new Set(shown.map(keyOf));
  const truncated = truncatedIn(values).filter((name) => name !== field || !isComplete);
  return { ...values, [field]: [...shown, ...more.filter((one) => !keys.has(keyOf(one)))], [TRUNCATED]: truncated };
}

export function joinedParts(parts: readonly RecordValues[]): RecordValues {
  const truncated = parts.flatMap(truncatedIn);
  const values = Object.assign({}, ...parts) as RecordValues;
  return truncated.length === 0 ? values : { ...values, [TRUNCATED]: truncated };
}

function linksIn(value: unknown): readonly Linked[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.filter((one) => one instanceof Reference || one instanceof NewRecord);
}

function keyOf(one: Linked): unknown {
  return one instanceof Reference ? one.id : one;
}
