import { hash } from 'node:crypto';

import type { SchemaModel } from '../../model/schema-model.types.js';

const KNOWN = new WeakMap<SchemaModel['schemas'], string>();

/** SHA-256 over all schemas of a model: equal models have equal hashes, in whatever order they were linked. */
export function modelHash({ schemas }: SchemaModel): string {
  const known = KNOWN.get(schemas);
  if (known !== undefined) return known;
  const lines = Object.keys(schemas)
    .sort()
    .map((name) => `${name}\n${schemas[name]?.hash}\n`);
  const result = hash('sha256', lines.join(''));
  KNOWN.set(schemas, result);
  return result;
}
