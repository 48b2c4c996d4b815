import { typeNames } from '../../model/type-names.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { SchemaTypeText } from './schema-type-text.js';
import { HELPER_NAMES, typeHelpers } from './type-helpers.js';

/**
 * TypeScript types of all schemas, for front ends: records as the content API answers and takes them, filters, sort keys,
 * envelopes and error codes. Self-contained; equal schemas make equal text. Times are ISO 8601, bytes base64; relations
 * are there where a request selects them.
 */
export function recordTypes({ schemas }: SchemaSnapshot): string {
  const names = typeNames(Object.keys(schemas), HELPER_NAMES);
  const sorted = Object.values(schemas).sort((a, b) => (a.name < b.name ? -1 : 1));
  const texts = sorted.map((schema) => new SchemaTypeText(schema, schemas, names));
  const records = sorted.map(({ name }) => `  ${name}: ${names.get(name)};`);
  const index = sorted.map(({ name }, at) => `  ${name}: ${texts[at]?.index()};`);
  return [
    typeHelpers(),
    ...texts.map((text) => text.text()),
    '/** Every record type by the name of its schema. */',
    'export interface Records {',
    ...records,
    '}',
    '',
    '/** Every type of a schema by its name. */',
    'export interface Schemas {',
    ...index,
    '}',
    '',
  ].join('\n');
}
