import type { FilePart } from './file-edits.js';

/** Names of columns and of a table that a relation may give. */
export const NAMES_OF_RELATION = ['source_column', 'target_column', 'junction_table'] as const;

/** Members of a relation that stand among what few say. */
export const MORE_OF_RELATION = ['on_delete', 'on_update', 'on_erase', ...NAMES_OF_RELATION, 'optional'] as const;
type MoreOfRelation = (typeof MORE_OF_RELATION)[number];

/** All members of a relation that have an input. */
export const MEMBERS_OF_RELATION = ['schema', 'type', 'field', 'owner', ...MORE_OF_RELATION] as const;

/** Fates of the records of an account that is erased. */
export const ERASURES = ['anonymise', 'keep', 'delete'] as const;

const ACTIONS = ['set_null', 'restrict', 'cascade', 'no_action'] as const;

/** Returns what can be done with a key when what it leads to goes or changes: between many and many, no key can be taken away. */
export function actionsOf({ type }: FilePart): readonly string[] {
  return type === 'm2m' ? ACTIONS.filter((action) => action !== 'set_null') : ACTIONS;
}

/**
 * Returns whether a member has a meaning for a relation as it is written, or is written though it has none, so that it can be taken
 * away.
 */
export function isShown(member: MoreOfRelation, written: FilePart): boolean {
  if (written[member] !== undefined) return true;
  if (member === 'on_erase') return written['schema'] === 'user';
  if (member === 'junction_table') return written['type'] === 'm2m';
  // The field itself says whether it may be empty.
  return member !== 'optional';
}
