import { addValue, moveValueUp, removeValue, setValue, valuesOf } from './enum-edits.js';
import type { FieldDefinition } from './field-edits.js';
import { addIndex, indexesOf, readColumns, removeIndex, setIndex } from './index-edits.js';
import { actionsOf, isShown } from './relation-edits.js';
import {
  auditText,
  besideFields,
  inputsOfSchema,
  keyFieldsOf,
  labelFieldsOf,
  readAudit,
  renameSchema,
} from './schema-edits.js';
import { defaultInput, FLAGS, flagValue, inputsOf, isFlagOn, membersOf, readDefault } from './field-settings.js';

const field = (type: string, members: object = {}): FieldDefinition =>
  ({ type, name: 'it', ...members }) as unknown as FieldDefinition;

describe('settings of a field', () => {
  it('depend on its type, also by alias', () => {
    expect([...membersOf(field('string'))]).toEqual(
      expect.arrayContaining(['size', 'default', 'unique', 'searchable', 'sortable', 'setter', 'label']),
    );
    expect(membersOf(field('varchar'))).toEqual(membersOf(field('string')));
    expect(membersOf(field('int')).has('size')).toBe(false);
    expect(membersOf(field('enum')).has('enums')).toBe(true);
    expect([...membersOf(field('strng'))]).toEqual(['label', 'optional']);
    expect([...membersOf(field('constructor'))]).toEqual(['label', 'optional']);
  });

  it('include settings that are present, so that they can be removed', () => {
    expect(membersOf(field('int', { size: 5 })).has('size')).toBe(true);
    expect(membersOf(field('text', { unique: false })).has('unique')).toBe(true);
  });

  it('omit settings that only JSON or account relations support', () => {
    expect(membersOf(field('json', { default: { a: 1 } })).has('default')).toBe(false);
    expect(membersOf(field('relation', { relation: { schema: 'tag' } })).has('default')).toBe(false);
    expect(membersOf(field('relation', { relation: { schema: 'user' } })).has('default')).toBe(true);
  });

  it('have inputs that show errors', () => {
    expect(inputsOf(field('enum'))).toEqual(expect.arrayContaining(['name', 'type', 'enums', 'enums/', 'default']));
    expect(inputsOf(field('json'))).not.toContain('default');
  });

  it('write flags only if they differ from the default', () => {
    const flag = (name: string) => FLAGS.find((item) => item.name === name) ?? FLAGS[0];
    expect([flagValue(flag('unique'), true), flagValue(flag('unique'), false)]).toEqual([true, undefined]);
    expect([flagValue(flag('sortable'), true), flagValue(flag('sortable'), false)]).toEqual([undefined, false]);
    expect(isFlagOn(flag('sortable'), field('int'))).toBe(true);
    expect(isFlagOn(flag('sortable'), field('int', { sortable: false }))).toBe(false);
    expect(isFlagOn(flag('unique'), field('int', { unique: 'yes' }))).toBe(false);
  });
});

describe('default value', () => {
  const read = (type: string, text: string) => readDefault(defaultInput(field(type)), text);

  it('has the type of the field', () => {
    expect([read('bool', 'true'), read('bool', 'false'), read('enum', 'draft')]).toEqual([true, false, 'draft']);
    expect([read('int', ' 7 '), read('int8', '-1'), read('float64', '1.05'), read('float32', '1e3')]).toEqual([
      7, -1, 1.05, 1000,
    ]);
    expect([read('string', '7'), read('text', ' a '), read('time', 'now')]).toEqual(['7', ' a ', 'now']);
  });

  it('keeps all digits of large numbers', () => {
    expect(read('int64', '9223372036854775807')).toBe('9223372036854775807');
  });

  it('keeps invalid input, and is removed if empty', () => {
    expect([read('int', '1.5'), read('float64', '1.'), read('float64', '1e999'), read('bool', 'many')]).toEqual([
      '1.5',
      '1.',
      '1e999',
      'many',
    ]);
    expect([read('int', ''), read('string', ''), read('bool', '')]).toEqual([undefined, undefined, undefined]);
  });
});

describe('enum values', () => {
  const VALUES = [{ value: 'a', label: 'A' }, { value: 'b' }];

  it('are added, renamed, moved and removed with their other members', () => {
    expect(addValue(addValue([])).map(({ value }) => value)).toEqual(['value', 'value_2']);
    expect(setValue(VALUES, 0, 'value', 'c')).toEqual([{ value: 'c', label: 'A' }, { value: 'b' }]);
    expect(setValue(VALUES, 0, 'value', '')[0]).toEqual({ value: '', label: 'A' });
    expect(setValue(VALUES, 0, 'label', '')[0]).toEqual({ value: 'a' });
    expect(moveValueUp(VALUES, 1)).toEqual([VALUES[1], VALUES[0]]);
    expect(moveValueUp(VALUES, 0)).toEqual(VALUES);
    expect(removeValue(VALUES, 0)).toEqual([VALUES[1]]);
    expect(removeValue([{ value: 'a' }], 0)).toBeUndefined();
  });

  it('returns no values for entries that are not objects', () => {
    expect([valuesOf('x'), valuesOf(['a'])]).toEqual([[], [{}]]);
  });
});

describe('schema settings', () => {
  const TEXT = '{ "name": "tag", "fields": [{ "name": "a", "type": "varchar" }, { "name": "b", "type": "int" }] }';
  const renamesOf = (text: string): unknown => (JSON.parse(text) as { renames?: unknown }).renames;

  it('rename a stored schema with its records', () => {
    const once = renameSchema(TEXT, 'label', 'tag');
    expect(renamesOf(once)).toEqual({ schema: 'tag' });
    expect(renamesOf(renameSchema(once, 'labels', 'tag'))).toEqual({ schema: 'tag' });
    expect(renameSchema(once, 'tag', 'tag').replaceAll(/\s/g, '')).toBe(TEXT.replaceAll(/\s/g, ''));
    expect(renamesOf(renameSchema(TEXT, 'label', null))).toBeUndefined();
    const field = TEXT.replace('{ ', '{ "renames": { "fields": { "c": "a" } }, ');
    expect(renamesOf(renameSchema(field, 'label', 'tag'))).toEqual({ fields: { c: 'a' }, schema: 'tag' });
  });

  it('offer text fields as label field', () => {
    expect(labelFieldsOf(TEXT)).toEqual(['a', 'id']);
  });

  it('offer fields with a key type as primary key', () => {
    const text = TEXT.replace('}]', '}, { "name": "c", "type": "text" }, { "name": "d", "type": "bool" }]');
    expect(keyFieldsOf(text)).toEqual(['a', 'b']);
  });

  it('read and write the audit setting', () => {
    expect(['', 'true', 'values'].map(readAudit)).toEqual([undefined, true, 'values']);
    expect([undefined, false, true, 'values', 'all', 7].map(auditText)).toEqual(['', '', 'true', 'values', 'all', '']);
  });

  it('are read without the fields', () => {
    expect([besideFields(TEXT), besideFields('{')]).toEqual([{ name: 'tag' }, {}]);
  });

  it('have inputs that show errors of indexes', () => {
    expect(inputsOfSchema(2)).toEqual(expect.arrayContaining(['/audit', '/db/indexes/1', '/db/indexes/1/columns/']));
    for (const path of ['/db/indexes/', '/db/indexes/0/', '/db/indexes/2'])
      expect(inputsOfSchema(2)).not.toContain(path);
  });
});

describe('indexes of a schema', () => {
  const BARE = '{\n  "name": "tag"\n}';
  const dbOf = (text: string): unknown => (JSON.parse(text) as { db?: unknown }).db;

  it('are added, changed and removed without a trace', () => {
    const one = setIndex(addIndex(BARE), 0, 'columns', readColumns(' a,b  c, '));
    expect(indexesOf(one)).toEqual([{ columns: ['a', 'b', 'c'], unique: true }]);
    expect(indexesOf(setIndex(one, 0, 'unique', undefined))).toEqual([{ columns: ['a', 'b', 'c'] }]);
    expect(removeIndex(one, 0)).toBe(BARE);
  });

  it('keep unknown members', () => {
    const text = '{ "db": { "engine": 7, "indexes": ["x", { "columns": "a", "kind": "hash" }] } }';
    expect(indexesOf(text)).toEqual([{}, { columns: 'a', kind: 'hash' }]);
    expect(dbOf(setIndex(text, 1, 'name', 'a_idx'))).toEqual({
      engine: 7,
      indexes: ['x', { columns: 'a', kind: 'hash', name: 'a_idx' }],
    });
    expect(dbOf(removeIndex(removeIndex(text, 0), 0))).toEqual({ engine: 7 });
    expect(dbOf(addIndex('{ "db": "none" }'))).toEqual({
      indexes: [{ columns: [], unique: true }],
    });
  });
});

describe('rare relation options', () => {
  it('are shown if they apply or are present', () => {
    expect(isShown('on_erase', { schema: 'tag' })).toBe(false);
    expect(isShown('on_erase', { schema: 'user' })).toBe(true);
    expect(isShown('on_erase', { schema: 'tag', on_erase: 'keep' })).toBe(true);
    expect(['o2m', 'm2m'].map((type) => isShown('junction_table', { type }))).toEqual([false, true]);
    expect([isShown('optional', {}), isShown('optional', { optional: false }), isShown('on_delete', {})]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('offer no set_null for many-to-many', () => {
    expect(actionsOf({ type: 'o2m' })).toContain('set_null');
    expect(actionsOf({ type: 'm2m' })).not.toContain('set_null');
  });

  it('have inputs that show errors', () => {
    expect(inputsOf(field('relation'))).toEqual(
      expect.arrayContaining(
        ['owner', 'on_delete', 'on_update', 'on_erase', 'junction_table'].map((item) => `relation/${item}`),
      ),
    );
  });
});
