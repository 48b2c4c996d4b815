import { isJsonObject } from '../../../kernel/text/json.js';
import { nearName } from '../../../kernel/text/near-name.js';
import {
  INDEX_MEMBERS,
  SCHEMA_DB_MEMBERS,
  type SCHEMA_MEMBERS,
  withinLimit,
  type DefinitionNode,
} from '../definition/definition-node.js';
import { fieldType } from '../../model/field-types.js';
import { isPlainIdentifier, isTooLong } from '../../model/identifiers.js';
import type { IndexDefinition } from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { CheckedField, CheckedSchema } from './checked-schema.js';

type IndexNode = DefinitionNode<typeof INDEX_MEMBERS>;

export interface IndexableFields {
  readonly fields: ReadonlyMap<string, Pick<CheckedField, 'definition' | 'relation'>>;
  readonly invalid: CheckedSchema['invalid'];
}

export function checkIndexes(
  schema: DefinitionNode<typeof SCHEMA_MEMBERS>,
  indexable: IndexableFields,
): readonly IndexDefinition[] {
  if (schema.values.db === undefined) return [];
  const db = schema.child(schema.values.db, SCHEMA_DB_MEMBERS, 'db');
  const seen = new Set<string>();
  const list = withinLimit('indexes', db.values.indexes ?? [], db.at('indexes'), db.faults);
  return list.flatMap((json, index) => {
    if (isJsonObject(json)) return [checkIndex(db.child(json, INDEX_MEMBERS, ['indexes', index]), indexable, seen)];
    db.reportType(['indexes', index], 'an object', json, `indexes[${index}]`);
    return [];
  });
}

function checkIndex(node: IndexNode, indexable: IndexableFields, seen: Set<string>): IndexDefinition {
  const { name, unique } = node.values;
  const columns = (node.values.columns ?? []).filter((column, at): column is string => {
    if (typeof column !== 'string') node.reportType(['columns', at], 'text', column, `columns[${at}]`);
    return typeof column === 'string';
  });
  if (name && (!isPlainIdentifier(name) || isTooLong(name))) node.report('schema.index.name.invalid', 'name', { name });
  checkColumns(node, columns, indexable);
  const keys = [`columns ${columns.join(' ')}`, ...(name ? [`name ${name.toLowerCase()}`] : [])];
  if (columns.length > 0 && keys.some((key) => seen.has(key))) node.report('schema.index.duplicate', []);
  for (const key of keys) seen.add(key);
  return { ...(name ? { name } : {}), ...(unique ? { unique } : {}), columns };
}

function checkColumns(node: IndexNode, columns: readonly string[], { fields, invalid }: IndexableFields): void {
  const limit = SCHEMA_LIMITS.indexColumns;
  if (columns.length === 0) node.reportMissing('schema.index.columns.required', 'columns');
  if (columns.length > limit)
    node.report('schema.limit.exceeded', 'columns', { what: 'index columns', actual: columns.length, limit });
  const seen = new Set<string>();
  for (const [position, name] of columns.entries()) {
    const path = ['columns', position];
    if (seen.has(name)) node.report('schema.index.column.duplicate', path, { name });
    seen.add(name);
    if (invalid.has(name)) continue;
    const field = fields.get(name);
    const reason = field && unindexable(field);
    if (field === undefined)
      node.report('schema.index.column.not_found', path, { name }, { suggestion: nearName(name, fields.keys()) });
    else if (reason) node.report('schema.index.column.not_allowed', path, { name, reason });
  }
}

function unindexable({ definition, relation }: Pick<CheckedField, 'definition' | 'relation'>): string | undefined {
  if (definition.type === 'file') return definition.multiple ? 'it has no column' : undefined;
  if (definition.type !== 'relation') {
    return fieldType(definition.type).indexed ? undefined : `the type ${definition.type} cannot be indexed`;
  }
  const { owner, type } = relation?.values ?? {};
  return owner || type === 'm2m' ? 'it has no column in this table' : undefined;
}
