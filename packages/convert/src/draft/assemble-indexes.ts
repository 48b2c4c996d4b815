import { fieldType } from '../../../../src/data/model/field-types.js';
import { isPlainIdentifier, isTooLong } from '../../../../src/data/model/identifiers.js';
import { SCHEMA_LIMITS } from '../../../../src/data/model/schema-limits.js';
import type { FieldDefinition, IndexDefinition } from '../../../../src/kernel/schema-definition.types.js';
import type { AssembledSchema } from './conversion.types.js';
import type { Notes } from './notes.js';

const AUTOMATIC = ['id', 'created_at', 'updated_at', 'deleted_at'];

export function assembleIndexes(
  { draft, fields: names }: AssembledSchema,
  fields: readonly FieldDefinition[],
  notes: Notes,
): readonly IndexDefinition[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const seen = new Set<string>();
  const usable: IndexDefinition[] = [];
  for (const { at, name, unique, columns } of draft.indexes ?? []) {
    const named = columns.map((column) => names.get(column) ?? (AUTOMATIC.includes(column) ? column : ''));
    const reason = named.length === 0 ? 'it has no columns' : mismatch(named, byName);
    const key = named.join(' ');
    if (reason !== undefined || seen.has(key) || usable.length === SCHEMA_LIMITS.indexes) {
      notes.add(at, `The index was skipped: ${reason ?? 'it already exists, or there are too many indexes'}.`);
      continue;
    }
    seen.add(key);
    const isUsable = name !== undefined && isPlainIdentifier(name) && !isTooLong(name) && !seen.has(name.toLowerCase());
    if (isUsable) seen.add(name.toLowerCase());
    usable.push({ ...(isUsable ? { name } : {}), ...(unique ? { unique } : {}), columns: named });
  }
  return usable;
}

function mismatch(columns: readonly string[], fields: ReadonlyMap<string, FieldDefinition>): string | undefined {
  if (columns.length > SCHEMA_LIMITS.indexColumns) return 'it has too many columns';
  if (new Set(columns).size < columns.length) return 'it names a column twice';
  for (const name of columns) {
    const field = fields.get(name);
    if (field === undefined && !AUTOMATIC.includes(name)) return 'it names a column that does not exist';
    if (field !== undefined && !hasColumn(field)) return `the field ${name} cannot be indexed`;
  }
  return undefined;
}

function hasColumn({ type, relation, multiple }: FieldDefinition): boolean {
  if (type === 'file') return multiple !== true;
  if (relation !== undefined) return relation.type !== 'm2m' && relation.owner !== true;
  return fieldType(type).indexed === true;
}
