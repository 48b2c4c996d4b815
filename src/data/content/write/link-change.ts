import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import type { LinkedRow } from '../render/render-links.js';
import { fieldInvalid } from '../resolve/writes/write-faults.js';
import type { WrittenLinks } from '../resolve/writes/write.types.js';

export interface LinkChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Previous foreign key values of the records that get the link. */
  readonly left: readonly string[];
}

/**
 * Computes the changes of links. Existing links stay, and a replacement removes only visible links.
 *
 * @param rows the named records and, for a replacement, the linked records.
 * @throws AppError `reference_not_found` for named records that may not be seen or changed; `permission_denied` for other records that
 * would lose a link; `field_invalid` if links are immutable; `links_truncated` for a plain array in place of more links than a record
 * shows.
 */
export function changeOf(link: WrittenLinks, rows: readonly LinkedRow[]): LinkChange {
  const { field, add, remove, replaces, isFixed, place } = link;
  const shown = rows.filter(({ linked, seen }) => linked && seen).length;
  if (link.mostReplaced !== null && shown > link.mostReplaced) throw linksTruncated(place, link.mostReplaced);
  const known = new Map(rows.map((row) => [row.id, row]));
  const find = (id: unknown): LinkedRow => {
    const row = known.get(String(id));
    if (row?.seen === true) return row;
    throw referenceNotFound(place);
  };
  const wanted = add.flatMap((ref) => (ref.kind === 'id' ? [find(ref.value)] : []));
  const gone = remove.map(find);
  const added = [...new Set(wanted)].filter(({ linked }) => !linked);
  const others = rows.filter((row) => row.linked && !wanted.includes(row));
  const removed = others.filter((row) => row.seen && (replaces || gone.includes(row)));
  if ([...added, ...removed.filter((row) => gone.includes(row))].some(({ may }) => !may))
    throw referenceNotFound(place);
  // A to-one link to a record that is not visible or may not be changed is kept.
  const keeps = !field.many && add.length > 0 && others.some(({ seen }) => !seen);
  if (keeps || removed.some(({ may }) => !may)) throw new AppError('permission_denied');
  const left = added.flatMap(({ held }) => held ?? []);
  if (isFixed && added.length + removed.length > 0) throw fieldInvalid(place, 'immutable');
  if (field.immutable && left.length > 0) throw fieldInvalid(place, 'immutable');
  return { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id), left };
}

export function referenceNotFound(place: string): AppError {
  return new AppError('reference_not_found', { details: { errors: [referenceFault(place)] } });
}

export function referenceFault(field: string): FieldFault {
  return { field, code: 'reference_not_found', message: 'leads to no record' };
}

function linksTruncated(field: string, most: number): AppError {
  const message = `has more than ${most} links: write $add and $remove, or $set to replace all of them`;
  return new AppError('links_truncated', { details: { errors: [{ field, code: 'links_truncated', message }] } });
}
