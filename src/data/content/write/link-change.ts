import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import type { LinkedRow } from '../render/render-links.js';
import { fieldInvalid } from '../resolve/writes/write-faults.js';
import type { WrittenLinks } from '../resolve/writes/write.types.js';

/** Change of links to records that are there. */
export interface LinkChange {
  /** Records that get the link. */
  readonly added: readonly string[];
  /** Records that lose it. */
  readonly removed: readonly string[];
  /** Links that the records that get the link held before. */
  readonly left: readonly string[];
}

/**
 * Decides what a write changes of links: what is linked already stays, and a list in place of another takes away only what
 * may be seen.
 *
 * @param rows the records that the write names and, where it replaces, those that are linked.
 * @throws AppError `reference_not_found` for records that are named and may not be seen or changed; `permission_denied` for
 * others that the write would take away; `field_invalid` if links never change; `links_truncated` for a plain array in place of more
 * links than a record shows.
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
  // Where there is one place, what one may not see or change keeps it.
  const keeps = !field.many && add.length > 0 && others.some(({ seen }) => !seen);
  if (keeps || removed.some(({ may }) => !may)) throw new AppError('permission_denied');
  const left = added.flatMap(({ held }) => held ?? []);
  if (isFixed && added.length + removed.length > 0) throw fieldInvalid(place, 'immutable');
  if (field.immutable && left.length > 0) throw fieldInvalid(place, 'immutable');
  return { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id), left };
}

/** Returns the refusal of a reference to what is not there, or as good as not there. */
export function referenceNotFound(place: string): AppError {
  return new AppError('reference_not_found', { details: { errors: [referenceFault(place)] } });
}

/** Returns what is wrong with a field that leads to no record. */
export function referenceFault(field: string): FieldFault {
  return { field, code: 'reference_not_found', message: 'leads to no record' };
}

function linksTruncated(field: string, most: number): AppError {
  const message = `has more than ${most} links: write $add and $remove, or $set to replace all of them`;
  return new AppError('links_truncated', { details: { errors: [{ field, code: 'links_truncated', message }] } });
}
