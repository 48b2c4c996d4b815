import { type FaultRow, faultRows } from './fault-row.js';

export const RELATION_CODES = {
  ...faultRows('specification', {
    'relation.target.not_found': {
      message: 'The relation refers to the schema "{target}", which does not exist.',
      when: '`relation.schema` names an undefined schema',
    },
    'relation.back_ref.missing': {
      message: 'The schema "{target}" has no relation field "{backField}" that points back to "{schema}.{field}".',
      when: 'back-reference field missing on target schema or not pointing back',
    },
    'relation.fk.target.not_found': {
      message: 'The foreign key refers to the field "{column}", which the schema "{target}" does not have.',
      when: 'foreign-key target field missing on target schema',
    },
    'relation.fk.clone_failed': {
      message: 'A foreign key to the field "{column}" of the schema "{target}" cannot be created.',
      when: 'foreign-key field clone failed (internal)',
    },
    'relation.config.missing': {
      message: 'The relation field "{field}" has no configuration.',
      when: 'field of type relation has no `relation` configuration when it is linked',
    },
  }),
  ...faultRows('lintel', {
    'relation.property.invalid': {
      message: '`relation.{property}` must be {expected}, not {actual}.',
      when: 'a property of a relation has the wrong JSON type',
    },
    'relation.property.unknown': {
      message: '`{property}` is not a property of a relation.',
      when: 'a relation has a property that the format does not know',
    },
    'relation.column.invalid': {
      message:
        '"{name}" cannot be a column: use up to 63 ASCII letters, digits and `_`, a letter first, and no reserved word.',
      when: '`source_column` or `target_column`, or the column derived from the field name, is not a plain identifier of at most 63 bytes',
    },
    'relation.junction_table.invalid': {
      message:
        '"{name}" cannot be a table: use up to 63 ASCII letters, digits and `_`, a letter first, and no reserved word.',
      when: '`junction_table`, or the name derived for it, is not a plain identifier of at most 63 bytes, or is reserved',
    },
    'relation.on_delete.invalid': {
      message: '`on_delete` must be one of {available}.',
      when: '`on_delete` is not a known action, or one that a junction cannot have',
    },
    'relation.on_update.invalid': {
      message: '`on_update` must be one of {available}.',
      when: '`on_update` is not a known action, or one that a junction cannot have',
    },
    'relation.on_erase.invalid': {
      message: '`on_erase` must be one of {available}.',
      when: '`on_erase` is not a known action',
    },
    'relation.back_ref.self': {
      message: 'The relation field "{field}" cannot be its own back reference; declare a second field.',
      when: 'a self-relation names itself as the field that points back',
    },
    'relation.back_ref.taken': {
      message: 'The back reference "{name}" on the schema "{target}" is taken by another field.',
      when: 'a back reference that is created automatically would have the name of another field',
    },
    'relation.owner.missing': {
      message: 'Neither "{schema}.{field}" nor "{target}.{backField}" is the `owner`; one side must be.',
      when: 'neither side of a relation has `owner: true`',
    },
    'relation.owner.duplicate': {
      message: 'Both "{schema}.{field}" and "{target}.{backField}" are the `owner`; only one side can be.',
      when: 'both sides of a relation have `owner: true`',
    },
    'relation.type.mismatch': {
      message: '"{schema}.{field}" is {type} but "{target}.{backField}" is {otherType}.',
      when: 'the two sides of a relation have different types',
    },
    'relation.column.duplicate': {
      message: 'The column "{name}" is taken in the table "{table}".',
      when: 'the columns of a junction table have the same name',
    },
    'relation.column.mismatch': {
      message: '"{schema}.{field}" and "{target}.{backField}" name different columns ("{name}" and "{other}").',
      when: 'the two sides of a relation name different columns',
    },
    'relation.fk.target.not_unique': {
      message: 'The foreign key refers to "{target}.{column}", which is not unique.',
      when: '`target_column` names a field that is neither the primary key nor unique',
    },
    'relation.junction_table.taken': {
      message: 'The table "{name}" is taken by {other}.',
      when: 'two relations, or a relation and a schema, would have the same table',
    },
    'relation.junction_table.mismatch': {
      message: '"{schema}.{field}" and "{target}.{backField}" name different junction tables.',
      when: 'the two sides of a relation name different junction tables',
    },
    'relation.on_delete.impossible': {
      message: '`on_delete: set_null` needs an optional relation.',
      when: '`set_null` on a relation that is required',
    },
    'relation.on_update.impossible': {
      message: '`on_update: set_null` needs an optional relation.',
      when: '`set_null` on a relation that is required',
    },
    'relation.on_delete.mismatch': {
      message: '"{schema}.{field}" and "{target}.{backField}" name different `on_delete` actions.',
      when: 'the two sides of a relation name different `on_delete` actions',
    },
    'relation.on_update.mismatch': {
      message: '"{schema}.{field}" and "{target}.{backField}" name different `on_update` actions.',
      when: 'the two sides of a relation name different `on_update` actions',
    },
    'relation.on_erase.unrelated': {
      message: '`on_erase` is allowed for relations to accounts only; "{schema}.{field}" is not one.',
      when: '`on_erase` on a relation that does not refer to `user`, or whose key is stored in the account',
    },
    'relation.on_erase.impossible': {
      message:
        '`on_erase: delete` needs records that belong to one account each; the records of "{schema}.{field}" are shared, or are accounts.',
      when: '`on_erase: delete` on a `m2m`, or on a relation from accounts to accounts',
    },
    'relation.on_erase.mismatch': {
      message: '"{schema}.{field}" and "{target}.{backField}" name different `on_erase` actions.',
      when: 'the two sides of a relation name different `on_erase` actions',
    },
  }),
} satisfies Record<`relation.${string}`, FaultRow>;
