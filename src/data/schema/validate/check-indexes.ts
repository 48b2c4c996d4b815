import { type FaultList, below } from '../codes/fault-list.js';
import { nearName } from '../../../kernel/text/near-name.js';
import type { RawIndex } from '../definition/definition-members.js';
import { fieldType } from '../../model/field-types.js';
import { isPlainIdentifier, isTooLong } from '../../model/identifiers.js';
import type { IndexDefinition } from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { CheckedField, CheckedSchema } from './checked-schema.js';

export interface IndexableFields {
  readonly fields: ReadonlyMap<string, Pick<CheckedField, 'definition' | 'relation'>>;
  readonly invalid: CheckedSchema['invalid'];
}

export function checkIndexes(
  indexes: readonly RawIndex[],
  known: IndexableFields,
  faults: FaultList,
): readonly IndexDefinition[] {
  const seen = new Set<string>();
  return indexes.map((raw) => {
    checkName(raw, faults);
    checkColumns(raw, known, faults);
    checkRepetition(raw, seen, faults);
    const { name, unique } = raw.values;
    return { ...(name ? { name } : {}), ...(unique ? { unique } : {}), columns: raw.columns };
  });
}

function checkName(raw: RawIndex, faults: FaultList): void {
  const { name } = raw.values;
  if (!name || (isPlainIdentifier(name) && !isTooLong(name))) return;
  faults.add('schema.index.name.invalid', below(raw.place, 'name'), { params: { name } });
}

function checkRepetition(raw: RawIndex, seen: Set<string>, faults: FaultList): void {
  const keys = [`columns ${raw.columns.join(' ')}`];
  if (raw.values.name) keys.push(`name ${raw.values.name.toLowerCase()}`);
  const isRepeated = raw.columns.length > 0 && keys.some((key) => seen.has(key));
  if (isRepeated) faults.add('schema.index.duplicate', raw.place);
  for (const key of keys) seen.add(key);
}

function checkColumns(raw: RawIndex, known: IndexableFields, faults: FaultList): void {
  const at = below(raw.place, 'columns');
  if (raw.columns.length === 0 && !raw.faulty.has('columns')) {
    faults.add('schema.index.columns.required', at);
  }
  if (raw.columns.length > SCHEMA_LIMITS.indexColumns) {
    const params = { what: 'index columns', actual: raw.columns.length, limit: SCHEMA_LIMITS.indexColumns };
    faults.add('schema.limit.exceeded', at, { params });
  }
  const seen = new Set<string>();
  for (const [position, name] of raw.columns.entries()) {
    const place = below(at, position);
    if (seen.has(name)) faults.add('schema.index.column.duplicate', place, { params: { name } });
    seen.add(name);
    if (known.invalid.has(name)) continue;
    const field = known.fields.get(name);
    const reason = field && unindexable(field);
    if (field === undefined) {
      const suggestion = nearName(name, known.fields.keys());
      faults.add('schema.index.column.not_found', place, { suggestion, params: { name } });
    } else if (reason) {
      faults.add('schema.index.column.not_allowed', place, { params: { name, reason } });
    }
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
