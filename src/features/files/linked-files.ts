import type { EntityManager } from 'typeorm';
import { quoteIdentifier as q } from '../../data/model/identifiers.js';
import type { LinkedRelationField, LinkedSchema, SchemaModel } from '../../data/model/schema-model.types.js';

/**
 * Returns SQL that holds of a file that some record links which is not deleted: over whatever relation leads to files, at this version of
 * the schemas. What was dropped links nothing.
 *
 * @param alias of the table of files.
 */
export function isLinked({ schemas }: SchemaModel, files: LinkedSchema, alias: string): string {
  const links = Object.values(files.fields).flatMap((field) => {
    const target = field.kind === 'relation' ? schemas[field.target] : undefined;
    return field.kind !== 'relation' || target === undefined ? [] : linkOver(field, target, alias);
  });
  return links.length === 0 ? 'FALSE' : `(${links.join(' OR ')})`;
}

/** Returns whether a record that is not deleted links a file over one relation. */
export async function isLinkedOver(
  manager: EntityManager,
  field: LinkedRelationField,
  target: LinkedSchema,
  fileId: string,
): Promise<boolean> {
  const [link] = linkOver(field, target, 'f');
  if (link === undefined) return false;
  const found = await manager.query<unknown[]>(`SELECT 1 FROM files f WHERE f.id = $1 AND ${link}`, [fileId]);
  return found.length > 0;
}

function linkOver({ join }: LinkedRelationField, target: LinkedSchema, alias: string): readonly string[] {
  const own = `${alias}.${q(join.ownColumn)}`;
  const live = isLive(target, 'r');
  if (join.kind === 'direct') {
    if (join.holder === 'own') return [];
    return [`EXISTS (SELECT 1 FROM ${q(join.targetTable)} r WHERE r.${q(join.targetColumn)} = ${own}${live})`];
  }
  const records = `JOIN ${q(join.targetTable)} r ON r.${q(join.targetColumn)} = j.${q(join.junctionTargetColumn)}`;
  const begun = `j.${q(join.junctionOwnColumn)} = ${own}`;
  return [`EXISTS (SELECT 1 FROM ${q(join.junctionTable)} j ${records} WHERE ${begun}${live})`];
}

function isLive({ softDelete, fields }: LinkedSchema, alias: string): string {
  const field = Object.values(fields).find((one) => one.kind === 'value' && one.generated === 'deleted_at');
  return softDelete && field?.kind === 'value' ? ` AND ${alias}.${q(field.column)} IS NULL` : '';
}
