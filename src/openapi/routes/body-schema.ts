import type { Type } from '@nestjs/common';
import { fieldNames, findFieldCheck } from '../../http/field.decorator.js';
import type { Json } from '../document/json-text.types.js';

/** The JSON Schema of a body whose fields are declared with `@Field`. */
export function bodySchema({ prototype }: Type): Json {
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  for (const name of fieldNames(prototype as object)) {
    const check = findFieldCheck(prototype as object, name);
    if (check === null) continue;
    // The check itself says what may be left out, and so cannot be contradicted.
    if (check(undefined) !== null) required.push(name);
    properties[name] = { type: check(null) === null ? ['string', 'null'] : 'string', ...check.facts };
  }
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties };
}
