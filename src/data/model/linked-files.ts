import { quoteIdentifier as q } from './identifiers.js';
import type { LinkedRelationField, LinkedSchema, SchemaModel } from './schema-model.types.js';

/**
 * Renders the SQL condition for files that are linked by a record that is not deleted, over any relation.
 *
 * @param alias alias of the files table.
 */
export function isLinked({ schemas }: SchemaModel, files: LinkedSchema, alias: string): string {
  const links = Object.values(files.fields).flatMap((field) => {
    const target = field.kind === 'relation' ? schemas[field.target] : undefined;
    return field.kind !== 'relation' || target === undefined ? [] : linkOver(field, target, alias);
  });
  return links.length === 0 ? 'FALSE' : `(${links.join(' OR ')})`;
}

/**
 * Renders the SQL condition for files that are linked by a record that is not deleted, over one relation. Empty if the foreign key is
 * stored in the file.
 *
 * @param target the schema of the records, for the given relation field of the files schema.
 * @param records further SQL condition for the record, whose alias is `r`.
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
  const joinCondition = `j.${q(join.junctionOwnColumn)} = ${own}`;
  return [`EXISTS (SELECT 1 FROM ${q(join.junctionTable)} j ${linked} WHERE ${joinCondition}${live})`];
}

/** Renders `AND …` for records that are not deleted; empty without soft deletion. */
export function isLiveRow({ softDelete, fields }: LinkedSchema, alias: string): string {
  const field = Object.values(fields).find((one) => one.kind === 'value' && one.generated === 'deleted_at');
  return softDelete && field?.kind === 'value' ? ` AND ${alias}.${q(field.column)} IS NULL` : '';
}
