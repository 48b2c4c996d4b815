import { deletionEffects } from './deletion-effects.js';
import * as account from '../../texts/en/account.js';
import { en } from '../../texts/en/en.js';
import { showTexts } from '../../texts/texts.js';

beforeAll(() => showTexts({ ...en, ...account }));

const record = (schema: string, action: 'delete' | 'keep' | 'anonymise', count: number) => ({
  schema,
  field: 'author',
  action,
  count,
});

describe('deletionEffects', () => {
  it('describes the effect on records, with dependent records', () => {
    const records = [record('post', 'delete', 2), record('vote', 'keep', 1), record('note', 'anonymise', 3)];
    expect(deletionEffects({ records, along: [{ schema: 'comment', count: 4 }] })).toEqual([
      'Deleted records: 2 of post, 4 of comment.',
      'Records that remain without a reference to you: 3 of note.',
      'Records that remain with an anonymous account: 1 of vote.',
    ]);
  });

  it('adds up records of several relations, and reports none', () => {
    const records = [record('post', 'delete', 2), record('post', 'delete', 1)];
    expect(deletionEffects({ records, along: [] })).toEqual(['Deleted records: 3 of post.']);
    expect(deletionEffects({ records: [], along: [] })).toEqual(['You have no records.']);
  });
});
