import type { RecordSchema } from '../data/record-schema.js';
import { readSearch } from './read-search.js';

const field = (name: string, type: string): RecordSchema['fields'][number] =>
  ({ name, type, label: name, filterable: true }) as RecordSchema['fields'][number];
const fields = [field('name', 'string'), field('views', 'int')];
const schema = { name: 'piece', key: 'id', labelField: 'name', fields, searchable: true } as unknown as RecordSchema;
const unsearchable: RecordSchema = { ...schema, searchable: false };

describe('the input of a list', () => {
  it.each([
    ['violin', { $search: 'violin' }],
    ['violin concerto', { $search: 'violin concerto' }],
    ['"violin concerto"', { $search: '"violin concerto"' }],
    ['  violin ', { $search: 'violin' }],
    ['Müller & Söhne', { $search: 'Müller & Söhne' }],
    ['rock and roll', { $search: 'rock and roll' }],
    ['name', { $search: 'name' }],
    ['a contains b c', { $search: 'a contains b c' }],
    ['views > 3', { views: { $gt: 3 } }],
    ['name contains violin', { name: { $contains: 'violin' } }],
  ])('reads %p', (text, filter) => {
    expect(readSearch(text, schema)).toEqual({ ok: true, filter });
  });

  it.each([
    ['name =', 'value_expected'],
    ['name contains', 'value_expected'],
    ['views > 3 and', 'condition_expected'],
    ['(views', 'operator_expected'],
  ])('reports the incomplete expression %p', (text, fault) => {
    expect(readSearch(text, schema)).toMatchObject({ ok: false, fault });
  });

  it('searches the label if no field is searchable', () => {
    expect(readSearch('"violin concerto"', unsearchable)).toEqual({
      ok: true,
      filter: { name: { $icontains: 'violin concerto' } },
    });
    expect(readSearch('7', { ...unsearchable, labelField: 'views' })).toMatchObject({ ok: false });
  });
});
