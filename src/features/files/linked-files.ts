import type { EntityManager } from 'typeorm';
import { linkOver } from '../../data/model/linked-files.js';
import type { LinkedRelationField, LinkedSchema } from '../../data/model/schema-model.types.js';

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
