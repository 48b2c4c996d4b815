import { ApiError } from '../../api/api-error.js';
import { completionsAt, type FormatSchema } from './completions.js';
import { lineOf, rangeOf, printDefinition, readDefinition, syntaxFault, withValue } from './definition-text.js';
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
const EXISTING_NAMES = new Set(['name', 'note']);

describe('definition text', () => {
  it('prints one line per field, and can be read again', () => {
    expect(TEXT.split('\n')).toHaveLength(10);
    expect(readDefinition(TEXT)).toEqual(TAG);
    expect(readDefinition(printDefinition({ name: 'bare' }))).toEqual({ name: 'bare', fields: [] });
  });

  it('returns the place of a pointer, or of the closest existing parent', () => {
    const at = (pointer: string): string => {
      const range = rangeOf(TEXT, pointer);
      return range === null ? 'nowhere' : TEXT.slice(range.from, range.to);
    };
    expect(at('/fields/0/type')).toBe('"string"');
    expect(at('/fields/1/optional')).toBe('true');
    expect(at('/fields/1/size')).toBe('{');
    expect(lineOf(TEXT, rangeOf(TEXT, '/fields/1/size')?.from ?? 0)).toBe(7);
    expect(rangeOf(TEXT, '/db/indexes')).toEqual({ from: 0, to: 1 });
    expect(rangeOf('', '/name')).toBeNull();
    expect(rangeOf('{"a/b~": 1}', '/a~1b~0')).toEqual({ from: 9, to: 10 });
  });

  it('reports the position of a syntax error', () => {
    expect(syntaxFault(TEXT)).toBeNull();
    expect(syntaxFault('{"name": }')).toEqual({ from: 9, to: 10 });
    expect(syntaxFault('[]')).toEqual({ from: 0, to: 2 });
    expect(syntaxFault('{"a": 1 // why\n}')).not.toBeNull();
  });

  it('keeps the formatting around a change', () => {
    const json = '{ "name":"tag",\n\n   "fields": [ {"name": "a",   "type": "int"} ] }';
    expect(withValue(json, ['fields', 0, 'type'], 'text')).toBe(json.replace('"int"', '"text"'));
  });
});

describe('fields form', () => {
  const names = (text: string): string[] => fieldsOf(text).map(({ name }) => name);
  const renames = (text: string): unknown => readDefinition(text)?.renames;

  it('renames references to a field', () => {
    const indexed = printDefinition({
      ...TAG,
      primary_field: 'name',
      db: { indexes: [{ columns: ['name', 'note'], unique: true }, { columns: ['note'] }] },
    });
    const renamed = [...'titl', 'title'].reduce(
      (text, _part, index) => renameField(text, 0, 'title'.slice(0, index + 1), new Set()),
      indexed,
    );
    expect(readDefinition(renamed)).toMatchObject({
      label_field: 'title',
      primary_field: 'title',
      db: { indexes: [{ columns: ['title', 'note'] }, { columns: ['note'] }] },
    });
    const twice = addField(TEXT);
    expect(
      readDefinition(renameField(renameField(twice, 2, 'name', EXISTING_NAMES), 2, 'other', EXISTING_NAMES)),
    ).toMatchObject({
      label_field: 'name',
    });
  });

  it('adds, moves, changes and removes fields', () => {
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

  it('records renames only of fields with a column', () => {
    const once = renameField(TEXT, 0, 'title', EXISTING_NAMES);
    expect(renames(once)).toEqual({ fields: { name: 'title' } });
    const twice = renameField(once, 0, 'headline', EXISTING_NAMES);
    expect(renames(twice)).toEqual({ fields: { name: 'headline' } });
    expect(renames(renameField(twice, 0, 'name', EXISTING_NAMES))).toBeUndefined();
    expect(renames(removeField(twice, 0))).toBeUndefined();
    const added = addField(TEXT);
    expect(renames(renameField(added, 2, 'colour', EXISTING_NAMES))).toBeUndefined();
    expect(renames(renameField(setRename(TEXT), 0, 'title', EXISTING_NAMES))).toEqual({
      schema: 'label',
      fields: { name: 'title' },
    });
  });

  it('renames a schema in its self relations only', () => {
    const related = (name: string, schema: string): object => ({ name, type: 'relation', relation: { schema } });
    const fields = [{ name: 'note', type: 'text' }, related('parent', 'tag'), related('pet', 'cat')];
    const text = JSON.stringify({ name: 'tag', fields });
    const own = ownRelations(text);
    const typed = ['c', 'ca', 'cat', 'cate'].reduce((of, name) => renameSchema(of, name, 'tag', own), text);
    expect(fieldsOf(typed).map(({ relation }) => relation?.schema)).toEqual([undefined, 'cate', 'cat']);
    expect(renames(typed)).toEqual({ schema: 'tag' });
    expect(renames(renameSchema(typed, 'tag', 'tag', own))).toBeUndefined();
  });

  it('ignores text that is not a definition', () => {
    expect(fieldsOf('{"fields": 3}')).toEqual([]);
    expect(fieldsOf('nothing')).toEqual([]);
  });
});

function setRename(text: string): string {
  return withValue(text, ['renames'], { schema: 'label' });
}

describe('file settings', () => {
  const SIZES = { thumb: { width: 1 }, wide: { height: 2 } };

  it('read type lists with any separator, and valid numbers', () => {
    expect(readTypes(' image/*,  application/pdf,')).toEqual(['image/*', 'application/pdf']);
    expect(readTypes(' , ')).toBeUndefined();
    expect(['5000', ' 7 ', '', '5 MB', '1e3', '-1'].map(readNumber)).toEqual([5000, 7, undefined, '5 MB', '1e3', -1]);
  });

  it('are removed when empty', () => {
    expect(withMember({}, 'quota', 5)).toEqual({ quota: 5 });
    expect(withMember({ quota: 5, unknown: 1 }, 'quota', undefined)).toEqual({ unknown: 1 });
    expect(withMember({ quota: 5 }, 'quota', undefined)).toBeUndefined();
    expect(removeSize({ thumb: {} }, 'thumb')).toBeUndefined();
    expect([partOf('x'), partOf([1]), partOf(null), sizesOf({ thumb: 7 })]).toEqual([{}, {}, {}, { thumb: {} }]);
  });

  it('rename sizes in place, without duplicates', () => {
    expect(Object.keys(renameSize(SIZES, 'thumb', 'small') ?? {})).toEqual(['small', 'wide']);
    expect(renameSize(SIZES, 'thumb', 'wide')).toBeNull();
    expect(renameSize(SIZES, 'thumb', 'thumb')).toEqual(SIZES);
    expect(Object.keys(addSize(addSize(SIZES)))).toEqual(['thumb', 'wide', 'size', 'size_2']);
    expect(pointerPart('a/b~')).toBe('a~1b~0');
  });
});

describe('schema faults', () => {
  const type = { code: 'field.type.invalid', message: 'No.', schema: 'tag', field: 'note', path: '/fields/1/type' };
  const missing = { code: 'relation.back_ref.missing', message: 'None.', schema: 'post', field: 'tags' };

  it('are sorted by line, and separated from those of other schemas', () => {
    const first = { code: 'schema.label_field.required', message: 'No.', schema: 'tag', path: '/db' };
    const { own, elsewhere } = sortFaults(TEXT, 'tag', [type, missing, first]);
    expect(own.map(({ code, line }) => [code, line])).toEqual([
      ['schema.label_field.required', 1],
      ['field.type.invalid', 7],
    ]);
    expect(elsewhere).toEqual([missing]);
  });

  it('are fixed by their suggestion', () => {
    const corrected = withSuggestion(TEXT, { ...type, suggestion: 'string' });
    expect(fieldsOf(corrected)[1]?.type).toBe('string');
    expect(withSuggestion(TEXT, type)).toBe(TEXT);
  });

  it('rename an unknown member to the suggestion, without overwriting another', () => {
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

  it('are read from schema_invalid errors only', () => {
    const refusal = (code: string, data: Record<string, unknown>): ApiError =>
      new ApiError({ status: 422, code, message: '', data });
    expect(schemaFaults(refusal('schema_invalid', { field_errors: [type] }))).toEqual([type]);
    expect(schemaFaults(refusal('schema_invalid', {}))).toEqual([]);
    expect(schemaFaults(refusal('validation_failed', { field_errors: [type] }))).toBeNull();
    expect(schemaFaults(new Error('no'))).toBeNull();
  });
});

describe('completions', () => {
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

  it('are the members of the format at the cursor', () => {
    expect(after('{ "')).toEqual(['"name"', '"fields"']);
    expect(after('{ "fields": [ { "')).toEqual(['"type"', '"optional"', '"relation"']);
    expect(after('{ "fields": [ { "type": "')).toEqual(['"string"', '"text"']);
    expect(after('{ "fields": [ { "optional": ')).toEqual(['true', 'false']);
    expect(after('{ "fields": [ { "relation": { "schema": "p')).toEqual(['"post"']);
    expect(after('{ "name": "')).toEqual([]);
  });

  it('replace the typed prefix', () => {
    expect(completionsAt('{ "fie', 6, format, []).from).toBe(2);
    expect(completionsAt('{ "fields": [ { "type": "st" } ] }', 27, format, []).from).toBe(24);
  });
});
