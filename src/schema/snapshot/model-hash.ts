import { createHash } from 'node:crypto';

import type { SchemaModel } from '../model/schema-model.types.js';

/** SHA-256 over all schemas of a model: equal models have equal hashes, in whatever order they were linked. */
export function modelHash(model: SchemaModel): string {
  const hash = createHash('sha256');
  for (const name of Object.keys(model.schemas).sort()) hash.update(`${name}\n${model.schemas[name]?.hash}\n`);
  return hash.digest('hex');
}
