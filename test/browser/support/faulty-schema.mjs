/** A definition with as many faults as possible. */
export const FAULTY_SCHEMA = {
  name: 'shelf',
  namespace: 'shelves',
  label_field: 'titel',
  colour: 'red',
  fields: [
    { type: 'strng', name: 'code' },
    { type: 'string', name: 'title', sizee: 20 },
    { type: 'string', name: 'title' },
    { type: 'int', name: 'places', default: 'many' },
    { type: 'enum', name: 'state', enums: [] },
    { type: 'relation', name: 'room' },
    { type: 'relation', name: 'keeper', relation: { schema: 'usr', field: 'shelves', type: 'o2m' } },
    { type: 'string', name: 'label', setter: 'titel +' },
    { type: 'string', name: 'ctid' },
    { type: 'bool', name: 'open', optional: 'yes' },
  ],
  db: { indexes: [{ columns: ['titel'] }] },
};
/** Its faults, by the start of their line. */
export const WRONG_WITH_SHELF = [
  ['"label_field": "titel"', /"titel" is not a string or text field/],
  ['"colour"', /`colour` is not a property of a schema/],
  ['"type": "strng"', /The type "strng" is not known/],
  ['"sizee"', /`sizee` is not a property of a field/],
  ['"name": "title"', /The field name "title" is used more than once/],
  ['"default": "many"', /The `default` does not fit the field/],
  ['"enums"', /An enum field needs `enums`/],
  ['{', /A relation field needs a `relation` object/],
  ['"schema": "usr"', /the schema "usr", which does not exist/],
  ['"setter"', /The `setter` does not compile/],
  ['"name": "ctid"', /The field name "ctid" is reserved/],
  ['"optional": "yes"', /`optional` must be true or false/],
  ['"titel"', /The index names the column "titel"/],
];
