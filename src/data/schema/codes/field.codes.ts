import { type FaultRow, faultRows } from './fault-row.js';

export const FIELD_CODES = {
  ...faultRows('specification', {
    'field.type.parse_error': {
      message: '`type` must be the name of a type, not {actual}.',
      when: 'JSON decoding met an unknown type identifier: a `type` that is not text',
    },
    'field.name.required': {
      message: 'The field at index {index} has no `name`.',
      when: 'field at the given index has no `name`',
    },
    'field.type.invalid': {
      message: 'The type "{type}" is not known. Known types: {available}.',
      when: 'unrecognised type identifier',
    },
    'field.type.missing': { message: 'The field has no `type`.', when: 'no type set' },
    'field.enum.required': {
      message: 'An enum field needs `enums`, a list of at least one value.',
      when: 'enum field lacks `enums` array',
    },
    'field.relation.required': {
      message: 'A relation field needs a `relation` object.',
      when: 'relation field lacks `relation` object',
    },
    'field.relation.schema.required': {
      message: 'The relation needs `schema`, the name of its target schema.',
      when: '`relation.schema` not set',
    },
    'field.relation.type.required': {
      message: 'The relation needs a `type`: o2o, o2m or m2m.',
      when: '`relation.type` unset or invalid; allowed o2o, o2m, m2m',
    },
    'field.relation.field.required': {
      message: 'The relation needs `field`, the name of the field on the other schema that points back.',
      when: '`relation.field` not set',
    },
    'field.file.schema.required': {
      message: 'A file field needs the name of the schema that owns it.',
      when: 'file field needs an owning schema name during initialisation',
    },
    'field.not_found': {
      message: 'The schema "{schema}" has no field "{name}". Available: {available}.',
      when: 'field lookup by name failed inside a known schema',
    },
    'field.setter.compile_error': {
      message: 'The `setter` does not compile: {reason}.',
      when: '`setter` expression failed to compile (cause attached), or its result has the wrong type',
    },
    'field.getter.compile_error': {
      message: 'The `getter` does not compile: {reason}.',
      when: '`getter` expression failed to compile (cause attached), or its result has the wrong type',
    },
  }),
  ...faultRows('lintel', {
    'field.property.invalid': {
      message: '`{property}` must be {expected}, not {actual}.',
      when: 'a property of a field has the wrong JSON type, or the field is not an object',
    },
    'field.property.unknown': {
      message: '`{property}` is not a property of a field.',
      when: 'a field has a property that the format does not know',
    },
    'field.name.invalid': {
      message: '"{name}" is not a field name: use ASCII letters, digits and `_`, beginning with a letter.',
      when: '`name` is not a plain identifier',
    },
    'field.name.reserved': {
      message: 'The field name "{name}" is reserved: {reason}.',
      when: '`name` is a reserved word, or the name of an automatic field with another meaning',
    },
    'field.name.too_long': {
      message: 'The field name is longer than {limit} bytes.',
      when: '`name` is longer than an identifier can be (63 bytes)',
    },
    'field.name.duplicate': {
      message: 'The field name "{name}" is used more than once in this schema.',
      when: 'two fields of a schema have the same name (case is ignored)',
    },
    'field.column.invalid': {
      message:
        '"{name}" cannot be a column: use up to 63 ASCII letters, digits and `_`, a letter first, and no reserved word.',
      when: '`db.column` is not a plain identifier of at most 63 bytes, or is reserved',
    },
    'field.db.not_allowed': {
      message: '`db.{property}` does not fit this field: {reason}.',
      when: 'a property of `db` does not fit the type of the field',
    },
    'field.size.invalid': {
      message: '`size` must be a whole number from 1 to {limit}.',
      when: '`size` is zero, negative, a fraction or too large',
    },
    'field.size.not_allowed': {
      message: 'A field of type {type} has no `size`.',
      when: '`size` on a type other than string, text and bytes',
    },
    'field.unique.not_allowed': {
      message: 'A field of type {type} cannot be `unique`.',
      when: '`unique` on a type that cannot be compared cheaply (json, bytes, text, file) or on a relation',
    },
    'field.multiple.not_allowed': {
      message: 'A field of type {type} cannot be `multiple`; only a file field can.',
      when: '`multiple` on a field that is not a file field',
    },
    'field.searchable.not_allowed': {
      message: 'A field of type {type} cannot be `searchable`; only string and text fields can.',
      when: '`searchable` on a field that is neither string nor text',
    },
    'field.default.invalid': {
      message: 'The `default` does not fit the field: {reason}.',
      when: '`default` is not a value of the type, or breaks `size` or `enums`',
    },
    'field.default.not_allowed': {
      message: 'A field of type {type} cannot have a `default`.',
      when: '`default` on a file or primary key field, or on a relation, unless it is `auth.id` and the field holds the id of an account',
    },
    'field.file.invalid': {
      message: '`file` of the field cannot be used: {reason}.',
      when: 'a type or a size of `file` is not valid',
    },
    'field.file.not_allowed': {
      message: '`file` is allowed for fields of type file only, not for type {type}.',
      when: '`file` on a field of another type',
    },
    'field.enum.not_allowed': {
      message: 'A field of type {type} has no `enums`.',
      when: '`enums` on a field that is not an enum',
    },
    'field.enum.value.required': {
      message: 'The enum entry at index {index} has no `value`.',
      when: 'an entry of `enums` has no `value`, or it is not text',
    },
    'field.enum.value.duplicate': {
      message: 'The enum value "{value}" is listed more than once.',
      when: 'two entries of `enums` have the same `value`',
    },
    'field.relation.not_allowed': {
      message: 'A field of type {type} has no `relation`.',
      when: '`relation` on a field that is not a relation (a file field creates its relation itself)',
    },
    'field.setter.not_allowed': {
      message: 'A field of type {type} cannot have a `setter`.',
      when: '`setter` on a relation or file field',
    },
    'field.getter.not_allowed': {
      message: 'A field of type {type} cannot have a `getter`.',
      when: '`getter` on a relation or file field, or on the primary key',
    },
    'field.limit.exceeded': {
      message: '{what} is too long: {actual}, at most {limit}.',
      when: 'a label, an enum list, an enum value, an expression, a default or a renderer is longer than the limits allow',
    },
    'field.system.changed': {
      message: 'The field "{name}" belongs to the system schema "{schema}" and cannot be changed.',
      when: 'a field of a system schema is declared differently, renamed or removed',
    },
    'field.column.duplicate': {
      message: 'The column "{name}" is taken by the field "{other}".',
      when: 'two fields of a schema would have the same column',
    },
    'field.rename.conflict': {
      message: 'The field "{old}" cannot be renamed to "{name}": {reason}.',
      when: '`renames.fields` names a field that still exists, a new field that does not exist, or one field twice',
    },
  }),
} satisfies Record<`field.${string}`, FaultRow>;
