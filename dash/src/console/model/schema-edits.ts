import type { SchemaDefinition } from '../../api/openapi.js';
import { readDefinition, withValue } from './definition-text.js';
import { fieldsOf } from './field-edits.js';
import { typeOf } from './field-settings.js';

/** Sets a member of the schema itself; `undefined` takes it away. */
export function setMember(text: string, name: keyof SchemaDefinition, value: unknown): string {
  return withValue(text, [name], value);
}

/**
 * Gives a schema another name. One that is there already is renamed with its records: that is said beside the definition.
 *
 * @param there the name of the schema that is there; null for a new one.
 */
export function renameSchema(text: string, name: string, there: string | null): string {
  const named = setMember(text, 'name', name);
  if (there === null) return named;
  const { schema: _old, ...others } = readDefinition(named)?.renames ?? {};
  const renames = name === there ? others : { ...others, schema: there };
  return setMember(named, 'renames', Object.keys(renames).length > 0 ? renames : undefined);
}

/** Returns the fields that may name a record. */
export function labelFieldsOf(text: string): readonly string[] {
  const names = fieldsOf(text).flatMap((field) => (NAMING.has(typeOf(field)) ? [field.name] : []));
  return [...new Set([...names, 'id'])];
}

const NAMING: ReadonlySet<unknown> = new Set(['string', 'text']);
