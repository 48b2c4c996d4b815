import { quoteIdentifier as q } from './identifiers.js';
import type { LinkedRelationField, LinkedSchema, SchemaModel } from './schema-model.types.js';

/**
 * Returns an SQL condition for files that a record which is not deleted links over any relation. @param alias of the table
 * of files.
 */
export function isLinked({ schemas }: SchemaModel, files: LinkedSchema, alias: string): string {
  const links = Object.values(files.fields).flatMap((field) => {
    const target = field.kind === 'relation' ? schemas[field.target] : undefined;
    return field.kind !== 'relation' || target === undefined ? [] : linkOver(field, target, alias);
  });
  return links.length === 0 ? 'FALSE' : `(${links.join(' OR ')})`;
}

/**
 * Returns SQL that holds of a file that a record links over one relation which is not deleted; nothing for a relation that the files hold.
 *
 * @param field the relation as it stands on files, and the schema of the records.
 * @param records SQL that holds besides of the record, whose alias is `r`.
 */
export function linkOver(
  { join }: LinkedRelationField,
  target: LinkedSchema,
  alias: string,
  records = '',
): readonly string[] {
  const own = `${alias}.${q(join.ownColumn)}`;
  const live = `${isLiveRow(target, 'r')}${records === '' ? '' : ` AND ${records}`}`;
  if (join.kind === 'direct') {
    if (join.holder === 'own') return [];
    return [`EXISTS (SELECT 1 FROM ${q(join.targetTable)} r WHERE r.${q(join.targetColumn)} = ${own}${live})`];
  }
  const linked = `JOIN ${q(join.targetTable)} r ON r.${q(join.targetColumn)} = j.${q(join.junctionTargetColumn)}`;
  const begun = `j.${q(join.junctionOwnColumn)} = ${own}`;
  return [`EXISTS (SELECT 1 FROM ${q(join.junctionTable)} j ${linked} WHERE ${begun}${live})`];
}

/** Returns SQL that holds of records that are not deleted, with `AND` before it; nothing if none stays deleted. */
export function isLiveRow({ softDelete, fields }: LinkedSchema, alias: string): string {
  const field = Object.values(fields).find((one) => one.kind === 'value' && one.generated === 'deleted_at');
  return softDelete && field?.kind === 'value' ? ` AND ${alias}.${q(field.column)} IS NULL` : '';
}
