import { SCHEMA_FAULT_CODES } from './schema-fault.js';

/** The four tables of codes. Clients map these codes to their own texts, so the codes never change. */
const SPECIFICATION = `
  schema.name.required schema.label_field.required schema.namespace.required schema.label_field.not_found
  schema.label_field.system_schema schema.primary_field.not_found schema.primary_field.required schema.io.read_error
  schema.init.unknown
  field.name.required field.type.invalid field.type.missing field.type.parse_error field.enum.required
  field.relation.required field.relation.schema.required field.relation.type.required field.relation.field.required
  field.not_found field.file.schema.required field.setter.compile_error field.getter.compile_error
  relation.target.not_found relation.back_ref.missing relation.fk.target.not_found relation.fk.clone_failed
  relation.config.missing
  builder.schema.duplicate builder.schema.not_found builder.schema.primary_key.missing builder.relation.not_m2m
  builder.junction_field.create_failed`
  .trim()
  .split(/\s+/);

/** Codes that Lintel adds, in the same form. They do not change either once they are released. */
const LINTEL = `
  schema.document.invalid schema.property.invalid schema.property.unknown schema.name.invalid schema.name.reserved
  schema.name.too_long schema.name.duplicate schema.namespace.invalid schema.namespace.reserved
  schema.namespace.too_long schema.namespace.duplicate schema.namespace.system_schema schema.primary_field.invalid
  schema.primary_field.system_schema schema.primary_field.changed schema.disable_timestamp.system_schema
  schema.audit.invalid schema.audit.system_schema
  schema.index.columns.required schema.index.column.not_found schema.index.column.not_allowed
  schema.index.column.duplicate schema.index.duplicate schema.index.name.invalid schema.limit.exceeded
  schema.rename.conflict schema.remove.system_schema
  field.property.invalid field.property.unknown field.name.invalid field.name.reserved field.name.too_long
  field.name.duplicate field.column.invalid field.column.duplicate field.db.not_allowed field.size.invalid
  field.size.not_allowed field.unique.not_allowed field.multiple.not_allowed field.searchable.not_allowed
  field.default.invalid field.default.not_allowed field.file.invalid field.file.not_allowed
  field.enum.not_allowed field.enum.value.required
  field.enum.value.duplicate field.relation.not_allowed field.setter.not_allowed field.getter.not_allowed
  field.limit.exceeded field.system.changed field.rename.conflict
  relation.property.invalid relation.property.unknown relation.back_ref.self relation.back_ref.taken
  relation.owner.missing relation.owner.duplicate relation.type.mismatch relation.column.invalid
  relation.column.duplicate relation.column.mismatch relation.fk.target.not_unique relation.junction_table.invalid
  relation.junction_table.taken relation.junction_table.mismatch relation.on_delete.invalid relation.on_update.invalid
  relation.on_delete.impossible relation.on_update.impossible relation.on_delete.mismatch relation.on_update.mismatch
  relation.on_erase.invalid relation.on_erase.unrelated relation.on_erase.impossible relation.on_erase.mismatch`
  .trim()
  .split(/\s+/);

const rows = Object.entries(SCHEMA_FAULT_CODES);

describe('the table of schema error codes', () => {
  test('has every code of the origin "specification", and no other', () => {
    const codes = rows.filter(([, row]) => row.origin === 'specification').map(([code]) => code);
    expect(codes.sort()).toEqual([...SPECIFICATION].sort());
  });

  test('has every code of Lintel, and no other', () => {
    const codes = rows.filter(([, row]) => row.origin === 'lintel').map(([code]) => code);
    expect(codes.sort()).toEqual([...LINTEL].sort());
  });

  test.each(rows)('%s is dotted lowercase, with a message and a meaning', (code, row) => {
    expect(code).toMatch(/^(schema|field|relation|builder)(\.[a-z][a-z0-9_]*){1,3}$/);
    expect(row.message).toMatch(/\.$/);
    expect(row.when.length).toBeGreaterThan(5);
  });
});
