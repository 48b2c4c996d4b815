import type { SchemaDefinition } from '../../api/openapi.js';
import { readDefinition, withValue } from './definition-text.js';
import { fieldsOf } from './field-edits.js';
import { typeOf } from './field-settings.js';

export function setMember(text: string, name: keyof SchemaDefinition, value: unknown): string {
  return withValue(text, [name], value);
}

/** Returns the indexes of the fields that relate to the schema itself. */
export function ownRelations(text: string): readonly number[] {
  const name = readDefinition(text)?.name;
  return fieldsOf(text).flatMap(({ relation }, index) =>
    relation !== undefined && relation.schema === name ? index : [],
  );
}

/**
 * Renames a schema. For a stored schema, `renames` gets an entry, so that its records are kept.
 *
 * @param storedName name of the stored schema; null for a new one.
 * @param own indexes of the fields that relate to the schema itself and are renamed with it.
 */
export function renameSchema(text: string, name: string, storedName: string | null, own = ownRelations(text)): string {
  const named = own.reduce(
    (edited, index) => withValue(edited, ['fields', index, 'relation', 'schema'], name),
    setMember(text, 'name', name),
  );
  if (storedName === null) return named;
  const { schema: _old, ...others } = readDefinition(named)?.renames ?? {};
  const renames = name === storedName ? others : { ...others, schema: storedName };
  return setMember(named, 'renames', Object.keys(renames).length > 0 ? renames : undefined);
}

export function labelFieldsOf(text: string): readonly string[] {
  const names = fieldsOf(text).flatMap((field) => (NAMING.has(typeOf(field)) ? [field.name] : []));
  return [...new Set([...names, 'id'])];
}

/** Returns the pointers of all inputs of the schema itself. A trailing slash includes nested values. */
export function inputsOfSchema(indexes: number): readonly string[] {
  return ['/name', '/namespace', '/label_field', ...moreInputs(indexes)];
}

export function moreInputs(indexes: number): readonly string[] {
  const ofIndex = ['', '/columns', '/columns/', '/name', '/unique'];
  const inIndexes = Array.from({ length: indexes }, (_, index) => ofIndex.map((part) => `/db/indexes/${index}${part}`));
  return ['/primary_field', '/disable_timestamp', '/audit', '/db', '/db/indexes', ...inIndexes.flat()];
}

/** Returns the fields that can be the primary field: types with an order and an exact value. */
export function keyFieldsOf(text: string): readonly string[] {
  const names = fieldsOf(text).flatMap((field) => (KEYS.has(typeOf(field)) ? [field.name] : []));
  return [...new Set(names)];
}

export function auditText(audit: unknown): string {
  if (audit === false) return '';
  return audit === true ? 'true' : typeof audit === 'string' ? audit : '';
}

export function readAudit(text: string): true | string | undefined {
  return text === 'true' ? true : text || undefined;
}

/** Returns the members of a definition without its fields, which can be many. */
export function besideFields(text: string): Readonly<Record<string, unknown>> {
  const { fields: _fields, ...others } = readDefinition(text) ?? {};
  return others;
}

const INTEGERS = ['int', 'int8', 'int16', 'int32', 'int64', 'uint', 'uint8', 'uint16', 'uint32', 'uint64'];
const KEYS: ReadonlySet<unknown> = new Set(['uuid', 'string', ...INTEGERS]);
const NAMING: ReadonlySet<unknown> = new Set(['string', 'text']);
