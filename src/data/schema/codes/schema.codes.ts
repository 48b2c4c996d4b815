import { type FaultRow, faultRows } from './fault-row.js';

export const BUILDER_CODES = {
  ...faultRows('specification', {
    'builder.relation.not_m2m': {
      message: 'The relation "{field}" is {type}, not m2m: it has no junction table.',
      when: 'm2m junction requested for a non-m2m relation',
    },
    'builder.schema.duplicate': {
      message: 'The system schema "{schema}" is declared more than once.',
      when: 'system schema declared more than once',
    },
    'builder.schema.primary_key.missing': {
      message: 'The schema "{schema}" has no primary key.',
      when: 'schema lacks a primary-key field at build time',
    },
    'builder.junction_field.create_failed': {
      message: 'A column of the junction table "{table}" could not be created.',
      when: 'junction field creation failed (internal)',
    },
    'builder.schema.not_found': {
      message: 'The schema "{name}" does not exist. Available: {available}.',
      when: 'requested schema not in builder; message lists available',
    },
  }),
} satisfies Record<`builder.${string}`, FaultRow>;

export const SCHEMA_CODES = {
  ...faultRows('specification', {
    'schema.name.required': { message: 'A schema needs a `name`.', when: 'missing `name`' },
    'schema.label_field.required': { message: 'A schema needs a `label_field`.', when: 'missing `label_field`' },
    'schema.namespace.required': { message: 'A schema needs a `namespace`.', when: 'missing `namespace`' },
    'schema.label_field.not_found': {
      message: '`label_field` "{name}" is not a string or text field of this schema. Available: {available}.',
      when: '`label_field` names a field that does not exist or is not string/text; message lists available alternatives',
    },
    'schema.label_field.system_schema': {
      message: 'The `label_field` of the system schema "{schema}" is fixed: it is "{fixed}".',
      when: 'system schemas (`user`, `role`, `permission`, `file`, `session`, `view`) have a fixed `label_field`',
    },
    'schema.primary_field.not_found': {
      message: '`primary_field` "{name}" is not a field of this schema. Available: {available}.',
      when: 'declared `primary_field` names a missing field',
    },
    'schema.primary_field.required': {
      message: 'The schema has no primary key: it has no field `id` and `primary_field` is empty.',
      when: 'no primary key field (no `id`, no `primary_field`)',
    },
    'schema.init.unknown': {
      message: 'The schemas could not be initialised.',
      when: 'unrecognised error during schema initialisation (cause attached)',
    },
    'schema.io.read_error': {
      message: 'The schema directory could not be read.',
      when: 'schema directory read failed (underlying error attached as cause)',
    },
  }),
  ...faultRows('lintel', {
    'schema.document.invalid': {
      message: 'Expected a schema definition, a list of them, or an object with `schemas`; got {actual}.',
      when: 'the submission, or an entry of it, is not a JSON object',
    },
    'schema.property.invalid': {
      message: '`{property}` must be {expected}, not {actual}.',
      when: 'a property of a schema has the wrong JSON type',
    },
    'schema.property.unknown': {
      message: '`{property}` is not a property of a schema.',
      when: 'a schema has a property that the format does not know',
    },
    'schema.name.invalid': {
      message: '"{name}" is not a schema name: use ASCII letters, digits and `_`, beginning with a letter.',
      when: '`name` is not a plain identifier',
    },
    'schema.name.reserved': { message: 'The schema name "{name}" is reserved.', when: '`name` is a reserved word' },
    'schema.name.too_long': {
      message: 'The schema name is longer than {limit} bytes.',
      when: '`name` is longer than an identifier can be (63 bytes)',
    },
    'schema.namespace.invalid': {
      message: '"{name}" is not a namespace: use ASCII letters, digits and `_`, beginning with a letter.',
      when: '`namespace` is not a plain identifier',
    },
    'schema.namespace.reserved': {
      message: 'The namespace "{name}" is reserved.',
      when: '`namespace` is a reserved word or a table of the service itself',
    },
    'schema.namespace.too_long': {
      message: 'The namespace is longer than {limit} bytes.',
      when: '`namespace` is longer than an identifier can be (63 bytes)',
    },
    'schema.namespace.system_schema': {
      message: 'The namespace of the system schema "{schema}" is fixed: it is "{fixed}".',
      when: 'another `namespace` is given for a system schema',
    },
    'schema.primary_field.invalid': {
      message: 'The field "{name}" cannot be the primary key: {reason}.',
      when: 'the primary field has a type that cannot be a key, or is optional',
    },
    'schema.primary_field.system_schema': {
      message: 'The primary key of the system schema "{schema}" is fixed: it is "{fixed}".',
      when: 'another `primary_field` is given for a system schema',
    },
    'schema.disable_timestamp.system_schema': {
      message: 'The timestamps of the system schema "{schema}" are fixed.',
      when: '`disable_timestamp` is given for a system schema and differs',
    },
    'schema.audit.invalid': {
      message: '`audit` must be true, false or "values", not {actual}.',
      when: '`audit` is not true, false or "values"',
    },
    'schema.audit.system_schema': {
      message: 'The records of the system schema "{schema}" are always in the audit log, without their values.',
      when: '`audit` is given for a system schema',
    },
    'schema.index.columns.required': {
      message: 'An index needs `columns`.',
      when: 'an entry of `db.indexes` has no columns',
    },
    'schema.index.column.not_found': {
      message: 'The index names the column "{name}", which this schema does not have.',
      when: 'an entry of `db.indexes` names an unknown column',
    },
    'schema.index.column.not_allowed': {
      message: 'The field "{name}" cannot be part of an index: {reason}.',
      when: 'an entry of `db.indexes` names a field without a separate column, or of a type that cannot be indexed',
    },
    'schema.index.column.duplicate': {
      message: 'The index names the column "{name}" twice.',
      when: 'an entry of `db.indexes` names one column twice',
    },
    'schema.index.duplicate': {
      message: 'The same index is declared twice.',
      when: 'two entries of `db.indexes` have the same columns or the same name',
    },
    'schema.index.name.invalid': {
      message: '"{name}" is not an index name: use ASCII letters, digits and `_`, beginning with a letter, up to 63.',
      when: 'the `name` of an index is not a plain identifier',
    },
    'schema.limit.exceeded': {
      message: 'Too many {what}: {actual}, at most {limit}.',
      when: 'more schemas, fields, indexes or index columns than the limits allow',
    },
    'schema.name.duplicate': {
      message: 'The schema name "{name}" is used more than once.',
      when: 'two schemas have the same name, or one schema has the namespace of another as its name (case is ignored)',
    },
    'schema.namespace.duplicate': {
      message: 'The namespace "{name}" is taken by the schema "{other}".',
      when: 'two schemas have the same namespace (case is ignored)',
    },
    'schema.primary_field.changed': {
      message: 'The primary key of an existing schema cannot change (it is "{before}").',
      when: 'an existing schema is given another primary field, or its primary field another type',
    },
    'schema.rename.conflict': {
      message: 'The schema "{old}" cannot be renamed to "{name}": {reason}.',
      when: '`renames.schema` names a schema that still exists, is a system schema, or is used twice',
    },
    'schema.remove.system_schema': {
      message: 'The system schema "{schema}" cannot be removed.',
      when: 'deletion of a system schema',
    },
  }),
} satisfies Record<`schema.${string}`, FaultRow>;
