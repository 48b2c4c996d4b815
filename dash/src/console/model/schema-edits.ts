import type { SchemaDefinition } from '../../api/openapi.js';
import { readDefinition, withValue } from './definition-text.js';
import { fieldsOf } from './field-edits.js';
import { typeOf } from './field-settings.js';

/** Sets a member of the schema itself; `undefined` takes it away. */
export function setMember(text: string, name: keyof SchemaDefinition, value: unknown): string {
  return withValue(text, [name], value);
}

/** Returns the places of the fields that lead to the schema itself. */
export function ownRelations(text: string): readonly number[] {
  const name = readDefinition(text)?.name;
  return fieldsOf(text).flatMap(({ relation }, index) =>
    relation !== undefined && relation.schema === name ? index : [],
  );
}

/**
 * Gives a schema another name. One that is there already is renamed with its records: that is said beside the definition.
 *
 * @param there the name of the schema that is there; null for a new one.
 * @param own the places of the fields that lead to it, which get the name, too.
 */
export function renameSchema(text: string, name: string, there: string | null, own = ownRelations(text)): string {
  const named = own.reduce(
    (edited, index) => withValue(edited, ['fields', index, 'relation', 'schema'], name),
    setMember(text, 'name', name),
  );
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

/** Returns pointers of what of a schema itself has an input; what ends with a slash stands for all that is in it. */
export function inputsOfSchema(indexes: number): readonly string[] {
  return ['/name', '/namespace', '/label_field', ...moreInputs(indexes)];
}

/** Returns those of them that stand among what few schemas say. */
export function moreInputs(indexes: number): readonly string[] {
  const ofIndex = ['', '/columns', '/columns/', '/name', '/unique'];
  const inIndexes = Array.from({ length: indexes }, (_, at) => ofIndex.map((part) => `/db/indexes/${at}${part}`));
  return ['/primary_field', '/disable_timestamp', '/audit', '/db', '/db/indexes', ...inIndexes.flat()];
}

/** Returns the fields that may be the key: of a type that has an order and an exact value. */
export function keyFieldsOf(text: string): readonly string[] {
  const names = fieldsOf(text).flatMap((field) => (KEYS.has(typeOf(field)) ? [field.name] : []));
  return [...new Set(names)];
}

/** Returns what the audit log tells, as it is chosen in a list. */
export function auditText(audit: unknown): string {
  if (audit === false) return '';
  return audit === true ? 'true' : typeof audit === 'string' ? audit : '';
}

/** Reads what was chosen of the audit log. */
export function readAudit(text: string): true | string | undefined {
  return text === 'true' ? true : text || undefined;
}

/** Returns what a definition says beside its fields, which may be many. */
export function besideFields(text: string): Readonly<Record<string, unknown>> {
  const { fields: _fields, ...others } = readDefinition(text) ?? {};
  return others;
}

const INTEGERS = ['int', 'int8', 'int16', 'int32', 'int64', 'uint', 'uint8', 'uint16', 'uint32', 'uint64'];
const KEYS: ReadonlySet<unknown> = new Set(['uuid', 'string', ...INTEGERS]);
const NAMING: ReadonlySet<unknown> = new Set(['string', 'text']);
