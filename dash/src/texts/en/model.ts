import { pluralsOf } from '../sentence.js';

export { access } from './access.js';

const count = pluralsOf('en');
/** The parts of the console. */
export const areas = {
  parts: 'Parts',
  viewing: (name: string) => `You see what they would see: ${name}. Nothing can be changed meanwhile.`,
  leaveViewing: 'See with your own eyes again',
  sections: {
    records: 'Records',
    model: 'Data model',
    access: 'Access',
    people: 'People',
    programs: 'Programs',
    service: 'Service',
    account: 'Your account',
  },
};

/** Schemas: what records are. */
export const model = {
  title: 'Data model',
  lead: 'What your records are. Each schema has its table and its API at once.',
  newSchema: 'New schema',
  views: { label: 'How schemas are shown', list: 'List', diagram: 'Diagram' },
  noSchema: 'There is no such schema, or it is not open to you.',
  editorLead: 'Nothing changes before you have seen the plan and applied it.',
  applied: (name: string) => `The change of ${name} is made.`,
  remove: (name: string) => `Remove ${name}…`,
  fieldCount: (fields: number) => count(fields, { one: '# field', other: '# fields' }),
  json: 'Definition as JSON',
  noJson: 'This is not JSON.',
  refused: {
    migration_blocked: 'The data does not allow the change.',
    migration_destructive: 'The change would lose data, and is to be confirmed.',
    schema_changed: 'Somebody changed the schemas meanwhile. Load the page again; what you wrote is kept as a draft.',
  },
  checking: 'Checking…',
  sound: 'Nothing is wrong.',
  discard: 'Discard changes',
  use: (value: string) => `Use “${value}”`,
  faults: {
    count: (faults: number) => count(faults, { one: '# fault', other: '# faults' }),
    none: 'Nothing is wrong.',
    line: (line: number) => `Go to line ${line}`,
    in: (schema: string) => `in the schema ${schema}`,
    addBackRefs: 'Let the other sides of relations be added',
  },
  form: {
    title: 'Fields',
    add: 'Add a field',
    name: 'Name',
    type: 'Type',
    leadsTo: 'Leads to',
    kind: 'How many',
    kinds: { o2o: 'one to one', o2m: 'one to many', m2o: 'many to one', m2m: 'many to many' },
    backRef: 'Its field that leads back',
    flags: {
      optional: 'optional',
      unique: 'unique',
      searchable: 'searchable',
      multiple: 'several files',
      immutable: 'set once',
      sortable: 'sortable',
      filterable: 'filterable',
    },
    size: 'Longest value',
    sizeOfString: '255 characters unless given',
    default: 'Default',
    noDefault: 'none',
    defaultTime: 'now, or such as 2026-01-31T12:00:00Z',
    owner: 'who makes the record',
    more: (field: string) => `More of ${field}`,
    texts: { label: 'Label', setter: 'Setter', getter: 'Getter' },
    expression: 'CEL over value, record, auth, now',
    enums: {
      add: 'Add a value',
      group: (value: string) => `Value ${value}`,
      value: 'Value',
      up: (value: string) => `Move the value ${value} up`,
      remove: (value: string) => `Remove the value ${value}`,
    },
    file: {
      types: 'Types',
      typesHint: 'Such as image/*, text/csv',
      max_size: 'Bytes of one file',
      quota: 'Bytes of one account',
      noBound: 'No bound of its own',
      size: (name: string) => `Size ${name}`,
      sizeName: 'Name of the size',
      width: 'Width',
      height: 'Height',
      fit: 'What is seen',
      fits: { inside: 'all of the picture', cover: 'what fills both sides' },
      addSize: 'Add a size of pictures',
      removeSize: (name: string) => `Remove the size ${name}`,
      taken: 'Another size is called so.',
    },
    up: (field: string) => `Move ${field} up`,
    remove: (field: string) => `Remove ${field}`,
  },
  plan: {
    title: 'What would change',
    show: 'Show the plan',
    nothing: 'Nothing changes.',
    blocked: 'The data stands in the way of this change.',
    loses: 'This loses data.',
    agree: 'I have seen what is lost',
    rows: (rows: number) => count(rows, { one: '# row loses something', other: '# rows lose something' }),
    missed: (schema: string, columns: string, lists: number, ms: number) =>
      `${schema} has no index over ${columns}: ${count(lists, { one: '# list', other: '# lists' })} would have used it, at ${ms} ms each.`,
    sql: 'SQL',
    apply: 'Apply',
    cancel: 'Cancel',
    overtaken: 'Somebody else changed the schemas meanwhile. This is the plan as it is now.',
  },
  saveAll: 'Save as a file',
  bring: {
    open: 'Bring schemas in…',
    title: 'Bring schemas in',
    lead: 'Definitions, or the project of another product. Nothing changes before you have seen the plan and applied it.',
    source: 'They come from',
    sources: {
      lintel: 'Lintel (definitions as JSON)',
      directus: 'Directus (a snapshot)',
      fastschema: 'FastSchema (its folder)',
      pocketbase: 'PocketBase (its collections)',
      strapi: 'Strapi (its folder)',
    },
    files: 'Files',
    folder: 'Folder',
    found: (schemas: number, notes: number) =>
      `${count(schemas, { one: '# schema', other: '# schemas' })}, ${count(notes, { one: '# note', other: '# notes' })}`,
    notes: (notes: number) =>
      count(notes, { one: '# thing is not taken over as it is', other: '# things are not taken over as they are' }),
    applied: (schemas: number) => count(schemas, { one: '# schema', other: '# schemas' }),
  },
  history: {
    title: 'History',
    version: (version: number) => `Version ${version}`,
    more: (steps: number) => count(steps, { one: '# more step', other: '# more steps' }),
    undo: 'Undo…',
    confirm: (version: number) => `Take version ${version} back`,
    impossible: 'The last change cannot be taken back: data would be lost by it, or would not come back.',
  },
};

export { schemaFaults } from './schema-faults.js';
export { planWords } from './plan-words.js';
export { schemaPhrases } from './schema-phrases.js';
