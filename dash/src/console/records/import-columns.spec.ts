import type { RecordField, RecordSchema } from '../data/record-schema.js';
import {
  chosenColumns,
  columnsParameter,
  columnTargets,
  isField,
  likelyDelimiter,
  proposalFor,
  readHead,
} from './import-columns.js';

const field = (name: string, more: Partial<RecordField> = {}): RecordField =>
  ({
    name,
    label: name.toUpperCase(),
    generated: false,
    many: false,
    unique: false,
    target: undefined,
    ...more,
  }) as RecordField;
const AUTHOR = {
  name: 'author',
  key: 'id',
  fields: [field('id', { generated: true }), field('email', { unique: true }), field('bio')],
} as unknown as RecordSchema;
const POST = {
  name: 'post',
  key: 'id',
  fields: [
    field('id', { generated: true }),
    field('title', { label: 'Head line' }),
    field('secret'),
    field('author', { target: 'author' }),
    field('tags', { target: 'tag', many: true }),
  ],
} as unknown as RecordSchema;
const TARGETS = columnTargets(POST, new Set(['title', 'author', 'tags']), new Map([['author', AUTHOR]]));

describe('columns of a file', () => {
  it('are read with example rows, for any delimiter and quoting', () => {
    expect(readHead('\ufeffa;"b; ""c"""\r\n1;"x\ny"\r\n2;\n3;\n4;', 'semicolon')).toEqual({
      headings: ['a', 'b; "c"'],
      examples: [
        ['1', 'x\ny'],
        ['2', ''],
        ['3', ''],
      ],
    });
    expect(readHead('a', 'comma')).toEqual({ headings: ['a'], examples: [] });
    expect(readHead('', 'comma')).toEqual({ headings: [], examples: [] });
  });

  it.each([
    ['a,b;c,d', 'comma'],
    ['a;"b,c,d,e";f', 'semicolon'],
    ['a\tb\nc,d,e', 'tab'],
    ['a', 'comma'],
  ] as const)('of %j have the delimiter %s', (text, delimiter) => {
    expect(likelyDelimiter(text)).toBe(delimiter);
  });

  it('can be writable fields, and unique fields of relations', () => {
    expect(TARGETS.map(([name]) => name)).toEqual(['id', 'title', 'author.id', 'author.email', 'tags']);
  });

  it('match fields with the same name', () => {
    expect(
      ['title', 'author.email', 'author_id', 'Title', 'title_id', 'author.a.b', ''].map((name) => isField(name, POST)),
    ).toEqual([true, true, true, false, false, false, false]);
  });

  it('with other names must be assigned, and are sent to the service', () => {
    const head = { headings: ['title', 'Name', 'No', '__proto__'], examples: [] };
    const before = chosenColumns(head, POST, {});
    expect([...before.values()]).toEqual(['title', undefined, undefined, undefined]);
    expect(columnsParameter(before)).toBeNull();
    expect(columnsParameter(chosenColumns(head, POST, { Name: 'author.email', No: null, gone: 'x' }))).toBe(
      '{"Name":"author.email","No":null}',
    );
  });

  it('are proposed by label', () => {
    expect(['Headline', 'head-line', 'AUTHOR EMAIL', 'bio', ''].map((name) => proposalFor(name, TARGETS))).toEqual([
      'title',
      'title',
      'author.email',
      undefined,
      undefined,
    ]);
  });
});
