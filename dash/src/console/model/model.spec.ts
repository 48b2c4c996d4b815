import { ApiError } from '../../api/api-error.js';
import { completionsAt, type FormatSchema } from './completions.js';
import { lineOf, placeOf, printDefinition, readDefinition, syntaxFault, withValue } from './definition-text.js';
import {
  addSize,
  partOf,
  pointerPart,
  readNumber,
  readTypes,
  removeSize,
  renameSize,
  sizesOf,
  withMember,
} from './file-edits.js';
import { addField, fieldsOf, moveField, removeField, renameField, setProperty } from './field-edits.js';
import { ownRelations, renameSchema } from './schema-edits.js';
import { schemaFaults, sortFaults, withSuggestion } from './schema-faults.js';

const TAG = {
  name: 'tag',
  namespace: 'tags',
  label_field: 'name',
  fields: [
    { type: 'string' as const, name: 'name', size: 100, unique: true },
    { type: 'text' as const, name: 'note', optional: true },
  ],
};
const TEXT = printDefinition(TAG);
const THERE = new Set(['name', 'note']);

describe('the text of a definition', () => {
  it('has a line for each field, and is what was printed', () => {
    expect(TEXT.split('\n')).toHaveLength(10);
    expect(readDefinition(TEXT)).toEqual(TAG);
    expect(readDefinition(printDefinition({ name: 'bare' }))).toEqual({ name: 'bare', fields: [] });
  });

  it('says where a pointer leads, and of what is missing where it is missing', () => {
    const at = (pointer: string): string => {
      const place = placeOf(TEXT, pointer);
      return place === null ? 'nowhere' : TEXT.slice(place.from, place.to);
    };
    expect(at('/fields/0/type')).toBe('"string"');
    expect(at('/fields/1/optional')).toBe('true');
    expect(at('/fields/1/size')).toBe('{');
    expect(lineOf(TEXT, placeOf(TEXT, '/fields/1/size')?.from ?? 0)).toBe(7);
    expect(placeOf(TEXT, '/db/indexes')).toEqual({ from: 0, to: 1 });
    expect(placeOf('', '/name')).toBeNull();
    expect(placeOf('{"a/b~": 1}', '/a~1b~0')).toEqual({ from: 9, to: 10 });
  });

  it('says where it stops being one', () => {
    expect(syntaxFault(TEXT)).toBeNull();
    expect(syntaxFault('{"name": }')).toEqual({ from: 9, to: 10 });
    expect(syntaxFault('[]')).toEqual({ from: 0, to: 2 });
    expect(syntaxFault('{"a": 1 // why\n}')).not.toBeNull();
  });

  it('keeps what was written around a change', () => {
    const written = '{ "name":"tag",\n\n   "fields": [ {"name": "a",   "type": "int"} ] }';
    expect(withValue(written, ['fields', 0, 'type'], 'text')).toBe(written.replace('"int"', '"text"'));
  });
});

describe('the form of the fields', () => {
  const names = (text: string): string[] => fieldsOf(text).map(({ name }) => name);
  const renames = (text: string): unknown => readDefinition(text)?.renames;

  it('renames the references of the schema with the field', () => {
    const indexed = printDefinition({
      ...TAG,
      primary_field: 'name',
      db: { indexes: [{ columns: ['name', 'note'], unique: true }, { columns: ['note'] }] },
    });
    const renamed = [...'titl', 'title'].reduce(
      (text, _part, at) => renameField(text, 0, 'title'.slice(0, at + 1), new Set()),
      indexed,
    );
    expect(readDefinition(renamed)).toMatchObject({
      label_field: 'title',
      primary_field: 'title',
      db: { indexes: [{ columns: ['title', 'note'] }, { columns: ['note'] }] },
    });
    const twice = addField(TEXT);
    expect(readDefinition(renameField(renameField(twice, 2, 'name', THERE), 2, 'other', THERE))).toMatchObject({
      label_field: 'name',
    });
  });

  it('adds, moves, changes and removes', () => {
    const two = addField(addField(TEXT));
    expect(names(two)).toEqual(['name', 'note', 'field', 'field_2']);
    expect(names(moveField(TEXT, 1, -1))).toEqual(['note', 'name']);
    expect(moveField(TEXT, 0, -1)).toBe(TEXT);
    expect(fieldsOf(setProperty(TEXT, 0, 'size', undefined))[0]).toEqual({
      type: 'string',
      name: 'name',
      unique: true,
    });
    expect(names(removeField(TEXT, 0))).toEqual(['note']);
  });

  it('renames what has a column, by whatever steps, and nothing else', () => {
    const once = renameField(TEXT, 0, 'title', THERE);
    expect(renames(once)).toEqual({ fields: { name: 'title' } });
    const twice = renameField(once, 0, 'headline', THERE);
    expect(renames(twice)).toEqual({ fields: { name: 'headline' } });
    expect(renames(renameField(twice, 0, 'name', THERE))).toBeUndefined();
    expect(renames(removeField(twice, 0))).toBeUndefined();
    const added = addField(TEXT);
    expect(renames(renameField(added, 2, 'colour', THERE))).toBeUndefined();
    expect(renames(renameField(setRename(TEXT), 0, 'title', THERE))).toEqual({
      schema: 'label',
      fields: { name: 'title' },
    });
  });

  it('renames a schema in its relations to itself, letter by letter, and in no other', () => {
    const related = (name: string, schema: string): object => ({ name, type: 'relation', relation: { schema } });
    const fields = [{ name: 'note', type: 'text' }, related('parent', 'tag'), related('pet', 'cat')];
    const text = JSON.stringify({ name: 'tag', fields });
    const own = ownRelations(text);
    const typed = ['c', 'ca', 'cat', 'cate'].reduce((of, name) => renameSchema(of, name, 'tag', own), text);
    expect(fieldsOf(typed).map(({ relation }) => relation?.schema)).toEqual([undefined, 'cate', 'cat']);
    expect(renames(typed)).toEqual({ schema: 'tag' });
    expect(renames(renameSchema(typed, 'tag', 'tag', own))).toBeUndefined();
  });

  it('leaves alone what is no definition yet', () => {
    expect(fieldsOf('{"fields": 3}')).toEqual([]);
    expect(fieldsOf('nothing')).toEqual([]);
  });
});

function setRename(text: string): string {
  return withValue(text, ['renames'], { schema: 'label' });
}

describe('the settings of files', () => {
  const SIZES = { thumb: { width: 1 }, wide: { height: 2 } };

  it('reads types however they are parted, and numbers only where they are some', () => {
    expect(readTypes(' image/*,  application/pdf,')).toEqual(['image/*', 'application/pdf']);
    expect(readTypes(' , ')).toBeUndefined();
    expect(['5000', ' 7 ', '', '5 MB', '1e3', '-1'].map(readNumber)).toEqual([5000, 7, undefined, '5 MB', '1e3', -1]);
  });

  it('says nothing where nothing is left', () => {
    expect(withMember({}, 'quota', 5)).toEqual({ quota: 5 });
    expect(withMember({ quota: 5, unknown: 1 }, 'quota', undefined)).toEqual({ unknown: 1 });
    expect(withMember({ quota: 5 }, 'quota', undefined)).toBeUndefined();
    expect(removeSize({ thumb: {} }, 'thumb')).toBeUndefined();
    expect([partOf('x'), partOf([1]), partOf(null), sizesOf({ thumb: 7 })]).toEqual([{}, {}, {}, { thumb: {} }]);
  });

  it('names sizes in their place, and no two alike', () => {
    expect(Object.keys(renameSize(SIZES, 'thumb', 'small') ?? {})).toEqual(['small', 'wide']);
    expect(renameSize(SIZES, 'thumb', 'wide')).toBeNull();
    expect(renameSize(SIZES, 'thumb', 'thumb')).toEqual(SIZES);
    expect(Object.keys(addSize(addSize(SIZES)))).toEqual(['thumb', 'wide', 'size', 'size_2']);
    expect(pointerPart('a/b~')).toBe('a~1b~0');
  });
});

describe('faults', () => {
  const type = { code: 'field.type.invalid', message: 'No.', schema: 'tag', field: 'note', path: '/fields/1/type' };
  const missing = { code: 'relation.back_ref.missing', message: 'None.', schema: 'post', field: 'tags' };

  it('stand at their lines, in their order; those of other schemas apart', () => {
    const first = { code: 'schema.label_field.required', message: 'No.', schema: 'tag', path: '/db' };
    const { own, elsewhere } = sortFaults(TEXT, 'tag', [type, missing, first]);
    expect(own.map(({ code, line }) => [code, line])).toEqual([
      ['schema.label_field.required', 1],
      ['field.type.invalid', 7],
    ]);
    expect(elsewhere).toEqual([missing]);
  });

  it('are mended by what they suggest', () => {
    const mended = withSuggestion(TEXT, { ...type, suggestion: 'string' });
    expect(fieldsOf(mended)[1]?.type).toBe('string');
    expect(withSuggestion(TEXT, type)).toBe(TEXT);
  });

  it('a member that is none is given the name that was meant, and takes the place of no other', () => {
    const fault = {
      code: 'field.property.unknown',
      message: '',
      schema: 'tag',
      path: '/fields/1/opt',
      suggestion: 'optional',
    };
    const text = '{ "fields": [{ "name": "a" }, { "opt":  true, "name": "note" }] }';
    expect(withSuggestion(text, fault)).toBe('{ "fields": [{ "name": "a" }, { "optional":  true, "name": "note" }] }');
    const both = text.replace('"name": "note"', '"optional": false');
    expect(withSuggestion(both, fault)).toBe(both);
    expect(withSuggestion(text, { ...fault, path: '/fields/9/opt' })).toBe(text);
  });

  it('are those of a refusal of a definition, and of no other', () => {
    const refusal = (code: string, data: Record<string, unknown>): ApiError =>
      new ApiError({ status: 422, code, message: '', data });
    expect(schemaFaults(refusal('schema_invalid', { field_errors: [type] }))).toEqual([type]);
    expect(schemaFaults(refusal('schema_invalid', {}))).toEqual([]);
    expect(schemaFaults(refusal('validation_failed', { field_errors: [type] }))).toBeNull();
    expect(schemaFaults(new Error('no'))).toBeNull();
  });
});

describe('what may be written next', () => {
  const field = {
    properties: {
      type: { enum: ['string', 'text'] },
      optional: { type: 'boolean' },
      relation: { properties: { schema: {} } },
    },
  };
  const format: FormatSchema = {
    $defs: { schema: { properties: { name: {}, fields: { items: { $ref: '#/$defs/field' } } } }, field },
  };
  const after = (text: string): readonly string[] => completionsAt(text, text.length, format, ['post']).options;

  it('is what the format has at that place', () => {
    expect(after('{ "')).toEqual(['"name"', '"fields"']);
    expect(after('{ "fields": [ { "')).toEqual(['"type"', '"optional"', '"relation"']);
    expect(after('{ "fields": [ { "type": "')).toEqual(['"string"', '"text"']);
    expect(after('{ "fields": [ { "optional": ')).toEqual(['true', 'false']);
    expect(after('{ "fields": [ { "relation": { "schema": "p')).toEqual(['"post"']);
    expect(after('{ "name": "')).toEqual([]);
  });

  it('takes the place of the word that was begun', () => {
    expect(completionsAt('{ "fie', 6, format, []).from).toBe(2);
    expect(completionsAt('{ "fields": [ { "type": "st" } ] }', 27, format, []).from).toBe(24);
  });
});
