/** The records of a list that something is to be done with: some, or all that match. */
export type Selection = { readonly kind: 'some'; readonly ids: ReadonlySet<string> } | { readonly kind: 'all' };

export const NOTHING_SELECTED: Selection = { kind: 'some', ids: new Set() };

/** Adds a record, or takes it away. Of all nothing can be taken away: then it is that one alone. */
export function withToggled(selection: Selection, id: string): Selection {
  const ids = new Set(selection.kind === 'all' ? [] : selection.ids);
  if (!ids.delete(id)) ids.add(id);
  return ids.size === 0 ? NOTHING_SELECTED : { kind: 'some', ids };
}

export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === 'all' || selection.ids.has(id);
}

/** State of the checkbox in the header. */
export type HeaderState = 'all' | 'none' | 'some';

/** Returns the state of the checkbox in the header: `all` only if every loaded record is selected. */
export function headerState(selection: Selection, loaded: readonly string[]): HeaderState {
  if (selection.kind === 'all') return 'all';
  if (selection.ids.size === 0) return 'none';
  return loaded.every((id) => selection.ids.has(id)) ? 'all' : 'some';
}
