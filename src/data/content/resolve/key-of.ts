import type { LinkedSchema } from '../../model/schema-model.types.js';
import { comparedAs } from './sql-value.js';
import type { KeyColumn } from './write.types.js';

/** The column of the primary key of a schema. */
export function keyOf(schema: LinkedSchema): KeyColumn {
  const field = schema.fields[schema.primaryField];
  if (field?.kind !== 'value') throw new TypeError(`The schema ${schema.name} has no primary field.`);
  return { column: field.column, sqlType: comparedAs(field.type) };
}
