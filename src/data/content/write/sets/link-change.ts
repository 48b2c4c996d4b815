import { AppError } from '../../../../kernel/errors/app-error.js';
import type { LinkedRow } from '../../render/render-links.js';
import { fieldInvalid, referenceNotFound } from '../../resolve/writes/write-faults.js';
import type { WrittenLinks } from '../../resolve/writes/record-write.js';

export interface LinkChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Previous foreign key values of the records that get the link. */
  readonly released: readonly string[];
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
  const { field, add, remove, replaces, isFixed, location } = link;
  const visibleCount = rows.filter(({ linked, seen }) => linked && seen).length;
  if (link.maxReplaced !== null && visibleCount > link.maxReplaced) throw linksTruncated(location, link.maxReplaced);
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const find = (id: unknown): LinkedRow => {
    const row = rowsById.get(String(id));
    if (row?.seen === true) return row;
    throw referenceNotFound(location);
  };
  const targets = add.flatMap((ref) => (ref.kind === 'id' ? [find(ref.value)] : []));
  const gone = remove.map(find);
  const added = [...new Set(targets)].filter(({ linked }) => !linked);
  const removedRows = rows.filter((row) => row.linked && !targets.includes(row));
  const removed = removedRows.filter((row) => row.seen && (replaces || gone.includes(row)));
  if ([...added, ...removed.filter((row) => gone.includes(row))].some(({ may }) => !may))
    throw referenceNotFound(location);
  // A to-one link to a record that is not visible or may not be changed is kept.
  const isUnchanged = !field.many && add.length > 0 && removedRows.some(({ seen }) => !seen);
  if (isUnchanged || removed.some(({ may }) => !may)) throw new AppError('permission_denied');
  const released = added.flatMap(({ currentLink }) => currentLink ?? []);
  if (isFixed && added.length + removed.length > 0) throw fieldInvalid(location, 'immutable');
  if (field.immutable && released.length > 0) throw fieldInvalid(location, 'immutable');
  return { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id), released };
}

function linksTruncated(field: string, limit: number): AppError {
  const message = `has more than ${limit} links: use $add and $remove, or $set to replace all of them`;
  return new AppError('links_truncated', { details: { errors: [{ field, code: 'links_truncated', message }] } });
}
