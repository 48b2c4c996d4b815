/** Selected records of a list: some, or all that match. */
export type Selection = { readonly kind: 'some'; readonly ids: ReadonlySet<string> } | { readonly kind: 'all' };

export const NOTHING_SELECTED: Selection = { kind: 'some', ids: new Set() };

/** Toggles a record. If all records are selected, only this one stays selected. */
export function withToggled(selection: Selection, id: string): Selection {
  const ids = new Set(selection.kind === 'all' ? [] : selection.ids);
  if (!ids.delete(id)) ids.add(id);
  return ids.size === 0 ? NOTHING_SELECTED : { kind: 'some', ids };
}

export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === 'all' || selection.ids.has(id);
}

export type HeaderState = 'all' | 'none' | 'some';

/** Returns the state of the checkbox in the header: `all` only if every loaded record is selected. */
export function headerState(selection: Selection, loaded: readonly string[]): HeaderState {
  if (selection.kind === 'all') return 'all';
  if (selection.ids.size === 0) return 'none';
  return loaded.every((id) => selection.ids.has(id)) ? 'all' : 'some';
}
