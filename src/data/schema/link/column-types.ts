import { makeFault, SchemaFaultError } from '../codes/schema-fault.js';
import { fieldType } from '../../model/field-types.js';
import type { FieldDefinition } from '../../model/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';

/** The SQL type of the column of a field; empty for fields without a column of their own. */
export function columnSqlType(field: FieldDefinition): string {
  const { sql } = fieldType(field.type);
  return sql === 'varchar' ? `varchar(${field.size ?? SCHEMA_LIMITS.defaultStringSize})` : sql;
}

/**
 * The SQL type of a foreign key that leads to a field. Throws `relation.fk.clone_failed` where none can be made after
 * it, which validation rules out.
 */
export function cloneKeyColumn(target: string, field: FieldDefinition): string {
  if (fieldType(field.type).indexed) return columnSqlType(field);
  throw new SchemaFaultError([makeFault('relation.fk.clone_failed', { params: { column: field.name, target } })]);
}
