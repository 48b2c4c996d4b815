import type { SchemaDefinition } from '../../api/openapi.js';
import { readDefinition, withValue } from './definition-text.js';
import { indexesOf, setIndex } from './index-edits.js';

export type FieldDefinition = NonNullable<SchemaDefinition['fields']>[number];

export function addField(text: string): string {
  const usedNames = new Set(fieldsOf(text).map(({ name }) => name));
  let name = 'field';
  for (let count = 2; usedNames.has(name); count += 1) name = `field_${count}`;
  return withValue(text, ['fields', fieldsOf(text).length], { type: 'string', name });
}

export function removeField(text: string, index: number): string {
  const name = fieldsOf(text)[index]?.name;
  const original = originalName(text, name);
  return withRename(withValue(text, ['fields', index], undefined), original, undefined);
}

export function moveField(text: string, index: number, by: -1 | 1): string {
  const fields = fieldsOf(text);
  const [one, other] = [fields[index], fields[index + by]];
  if (one === undefined || other === undefined) return text;
  return withValue(withValue(text, ['fields', index], other), ['fields', index + by], one);
}

export function setProperty(text: string, index: number, name: string, value: unknown): string {
  return withValue(text, ['fields', index, name], value);
}

/**
 * Renames a field and its references in the label field, the key and the indexes. `renames` gets an entry if the field has a column, so
 * that its values are kept.
 *
 * @param existing names of the fields that have columns.
 */
export function renameField(text: string, index: number, name: string, existing: ReadonlySet<string>): string {
  const before = fieldsOf(text)[index]?.name;
  const original = originalName(text, before);
  const named = withReferences(withValue(text, ['fields', index, 'name'], name), before, name);
  if (original === undefined || !existing.has(original)) return named;
  return withRename(named, original, name === original ? undefined : name);
}

function withReferences(text: string, before: string | undefined, name: string): string {
  if (before === undefined || before === '' || before === name) return text;
  // While two fields have the same name, the references are ambiguous.
  if (fieldsOf(text).some((field) => field.name === before)) return text;
  const definition = readDefinition(text);
  const members = (['label_field', 'primary_field'] as const).filter((member) => definition?.[member] === before);
  const renamed = members.reduce((edited, member) => withValue(edited, [member], name), text);
  return indexesOf(renamed).reduce((edited, index, at) => {
    const columns = index['columns'];
    if (!Array.isArray(columns) || !columns.includes(before)) return edited;
    return setIndex(
      edited,
      at,
      'columns',
      columns.map((column: unknown) => (column === before ? name : column)),
    );
  }, renamed);
}

/** Returns the fields of a definition, which may be invalid otherwise. */
export function fieldsOf(text: string): readonly FieldDefinition[] {
  const fields: unknown = readDefinition(text)?.fields;
  return Array.isArray(fields) ? (fields as FieldDefinition[]) : [];
}

/** Returns the name of a field before it was renamed in this text. */
function originalName(text: string, name: string | undefined): string | undefined {
  const renamed = Object.entries(readDefinition(text)?.renames?.fields ?? {}).find(([, to]) => to === name);
  return renamed?.[0] ?? name;
}

function withRename(text: string, original: string | undefined, name: string | undefined): string {
  const renames = readDefinition(text)?.renames;
  if (original === undefined || (name === undefined && renames?.fields?.[original] === undefined)) return text;
  const fields = Object.fromEntries(Object.entries(renames?.fields ?? {}).filter(([from]) => from !== original));
  if (name !== undefined) fields[original] = name;
  const { fields: _old, ...others } = renames ?? {};
  const next = Object.keys(fields).length > 0 ? { ...others, fields } : others;
  return withValue(text, ['renames'], Object.keys(next).length > 0 ? next : undefined);
}
