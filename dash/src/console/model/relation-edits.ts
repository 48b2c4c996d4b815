import type { FilePart } from './file-edits.js';

export const NAMES_OF_RELATION = ['source_column', 'target_column', 'junction_table'] as const;

export const MORE_OF_RELATION = ['on_delete', 'on_update', 'on_erase', ...NAMES_OF_RELATION, 'optional'] as const;
type MoreOfRelation = (typeof MORE_OF_RELATION)[number];

export const MEMBERS_OF_RELATION = ['schema', 'type', 'field', 'owner', ...MORE_OF_RELATION] as const;

/** What happens to the records when their account is erased. */
export const ERASURES = ['anonymise', 'keep', 'delete'] as const;

const ACTIONS = ['set_null', 'restrict', 'cascade', 'no_action'] as const;

/** Returns the possible actions when the related record is deleted or its key changes. A many-to-many relation cannot set null. */
export function actionsOf({ type }: FilePart): readonly string[] {
  return type === 'm2m' ? ACTIONS.filter((action) => action !== 'set_null') : ACTIONS;
}

/**
 * Returns whether a member applies to the relation. A member that does not apply is still shown if it is set, so that the user can remove
 * it.
 */
export function isShown(member: MoreOfRelation, relation: FilePart): boolean {
  if (relation[member] !== undefined) return true;
  if (member === 'on_erase') return relation['schema'] === 'user';
  if (member === 'junction_table') return relation['type'] === 'm2m';
  // `optional` is set on the field itself.
  return member !== 'optional';
}
