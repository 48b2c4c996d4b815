import { addValue, moveValueUp, removeValue, setValue, valuesOf } from './enum-edits.js';
import type { FieldDefinition } from './field-edits.js';
import { labelFieldsOf, renameSchema } from './schema-edits.js';
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
});
