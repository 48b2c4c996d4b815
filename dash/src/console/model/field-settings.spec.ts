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

describe('the settings of a field', () => {
  it('are those of its type, by whatever name', () => {
    expect([...membersOf(field('string'))]).toEqual(
      expect.arrayContaining(['size', 'default', 'unique', 'searchable', 'sortable', 'setter', 'label']),
    );
    expect(membersOf(field('varchar'))).toEqual(membersOf(field('string')));
    expect(membersOf(field('int')).has('size')).toBe(false);
    expect(membersOf(field('enum')).has('enums')).toBe(true);
    expect([...membersOf(field('strng'))]).toEqual(['label', 'optional']);
    expect([...membersOf(field('constructor'))]).toEqual(['label', 'optional']);
  });

  it('are those that are written, too, so that they can be taken away', () => {
    expect(membersOf(field('int', { size: 5 })).has('size')).toBe(true);
    expect(membersOf(field('text', { unique: false })).has('unique')).toBe(true);
  });

  it('leave to JSON what only JSON says, and to relations to accounts what only they may say', () => {
    expect(membersOf(field('json', { default: { a: 1 } })).has('default')).toBe(false);
    expect(membersOf(field('relation', { relation: { schema: 'tag' } })).has('default')).toBe(false);
    expect(membersOf(field('relation', { relation: { schema: 'user' } })).has('default')).toBe(true);
  });

  it('have the places at which faults are told', () => {
    expect(inputsOf(field('enum'))).toEqual(expect.arrayContaining(['name', 'type', 'enums', 'enums/', 'default']));
    expect(inputsOf(field('json'))).not.toContain('default');
  });

  it('say of flags only what is not so anyway', () => {
    const flag = (name: string) => FLAGS.find((one) => one.name === name) ?? FLAGS[0];
    expect([flagValue(flag('unique'), true), flagValue(flag('unique'), false)]).toEqual([true, undefined]);
    expect([flagValue(flag('sortable'), true), flagValue(flag('sortable'), false)]).toEqual([undefined, false]);
    expect(isFlagOn(flag('sortable'), field('int'))).toBe(true);
    expect(isFlagOn(flag('sortable'), field('int', { sortable: false }))).toBe(false);
    expect(isFlagOn(flag('unique'), field('int', { unique: 'yes' }))).toBe(false);
  });
});

describe('a default', () => {
  const read = (type: string, text: string) => readDefault(defaultInput(field(type)), text);

  it('is a value of the type', () => {
    expect([read('bool', 'true'), read('bool', 'false'), read('enum', 'draft')]).toEqual([true, false, 'draft']);
    expect([read('int', ' 7 '), read('int8', '-1'), read('float64', '1.05'), read('float32', '1e3')]).toEqual([
      7, -1, 1.05, 1000,
    ]);
    expect([read('string', '7'), read('text', ' a '), read('time', 'now')]).toEqual(['7', ' a ', 'now']);
  });

  it('loses no digit of a number that JSON does not carry', () => {
    expect(read('int64', '9223372036854775807')).toBe('9223372036854775807');
  });

  it('stays as it is typed where it is none, and is nothing where nothing is typed', () => {
    expect([read('int', '1.5'), read('float64', '1.'), read('float64', '1e999'), read('bool', 'many')]).toEqual([
      '1.5',
      '1.',
      '1e999',
      'many',
    ]);
    expect([read('int', ''), read('string', ''), read('bool', '')]).toEqual([undefined, undefined, undefined]);
  });
});

describe('the values of an enum', () => {
  const VALUES = [{ value: 'a', label: 'A' }, { value: 'b' }];

  it('are added, named, moved and taken away, each with what else it says', () => {
    expect(addValue(addValue([])).map(({ value }) => value)).toEqual(['value', 'value_2']);
    expect(setValue(VALUES, 0, 'value', 'c')).toEqual([{ value: 'c', label: 'A' }, { value: 'b' }]);
    expect(setValue(VALUES, 0, 'value', '')[0]).toEqual({ value: '', label: 'A' });
    expect(setValue(VALUES, 0, 'label', '')[0]).toEqual({ value: 'a' });
    expect(moveValueUp(VALUES, 1)).toEqual([VALUES[1], VALUES[0]]);
    expect(moveValueUp(VALUES, 0)).toEqual(VALUES);
    expect(removeValue(VALUES, 0)).toEqual([VALUES[1]]);
    expect(removeValue([{ value: 'a' }], 0)).toBeUndefined();
  });

  it('are none of what is no list of objects', () => {
    expect([valuesOf('x'), valuesOf(['a'])]).toEqual([[], [{}]]);
  });
});

describe('the schema itself', () => {
  const TEXT = '{ "name": "tag", "fields": [{ "name": "a", "type": "varchar" }, { "name": "b", "type": "int" }] }';
  const renamesOf = (text: string): unknown => (JSON.parse(text) as { renames?: unknown }).renames;

  it('is renamed with its records where it has some, by whatever steps', () => {
    const once = renameSchema(TEXT, 'label', 'tag');
    expect(renamesOf(once)).toEqual({ schema: 'tag' });
    expect(renamesOf(renameSchema(once, 'labels', 'tag'))).toEqual({ schema: 'tag' });
    expect(renameSchema(once, 'tag', 'tag').replaceAll(/\s/g, '')).toBe(TEXT.replaceAll(/\s/g, ''));
    expect(renamesOf(renameSchema(TEXT, 'label', null))).toBeUndefined();
    const field = TEXT.replace('{ ', '{ "renames": { "fields": { "c": "a" } }, ');
    expect(renamesOf(renameSchema(field, 'label', 'tag'))).toEqual({ fields: { c: 'a' }, schema: 'tag' });
  });

  it('has its records named by a text, or by their ids', () => {
    expect(labelFieldsOf(TEXT)).toEqual(['a', 'id']);
  });

  it('has a key of a type that can be one', () => {
    const text = TEXT.replace('}]', '}, { "name": "c", "type": "text" }, { "name": "d", "type": "bool" }]');
    expect(keyFieldsOf(text)).toEqual(['a', 'b']);
  });

  it('says of the audit log what is chosen, and shows what it says whatever that is', () => {
    expect(['', 'true', 'values'].map(readAudit)).toEqual([undefined, true, 'values']);
    expect([undefined, false, true, 'values', 'all', 7].map(auditText)).toEqual(['', '', 'true', 'values', 'all', '']);
  });

  it('is told without its fields, which a key changes', () => {
    expect([besideFields(TEXT), besideFields('{')]).toEqual([{ name: 'tag' }, {}]);
  });

  it('has places at which faults of its indexes are told, but for members that have no input', () => {
    expect(inputsOfSchema(2)).toEqual(expect.arrayContaining(['/audit', '/db/indexes/1', '/db/indexes/1/columns/']));
    for (const place of ['/db/indexes/', '/db/indexes/0/', '/db/indexes/2'])
      expect(inputsOfSchema(2)).not.toContain(place);
  });
});

describe('the indexes of a schema', () => {
  const BARE = '{\n  "name": "tag"\n}';
  const dbOf = (text: string): unknown => (JSON.parse(text) as { db?: unknown }).db;

  it('are added, changed and taken away, and leave nothing behind', () => {
    const one = setIndex(addIndex(BARE), 0, 'columns', readColumns(' a,b  c, '));
    expect(indexesOf(one)).toEqual([{ columns: ['a', 'b', 'c'], unique: true }]);
    expect(indexesOf(setIndex(one, 0, 'unique', undefined))).toEqual([{ columns: ['a', 'b', 'c'] }]);
    expect(removeIndex(one, 0)).toBe(BARE);
  });

  it('keep what the form does not know, of each and beside them', () => {
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

describe('what few relations say', () => {
  it('is asked for where it has a meaning, or is written', () => {
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

  it('empties no key between many and many', () => {
    expect(actionsOf({ type: 'o2m' })).toContain('set_null');
    expect(actionsOf({ type: 'm2m' })).not.toContain('set_null');
  });

  it('has a place each at which faults are told', () => {
    expect(inputsOf(field('relation'))).toEqual(
      expect.arrayContaining(
        ['owner', 'on_delete', 'on_update', 'on_erase', 'junction_table'].map((one) => `relation/${one}`),
      ),
    );
  });
});
