import { foreseenLines } from './foreseen-lines.js';
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

describe('foreseenLines', () => {
  it('says what becomes of records, those that hang on others with them', () => {
    const records = [record('post', 'delete', 2), record('vote', 'keep', 1), record('note', 'anonymise', 3)];
    expect(foreseenLines({ records, along: [{ schema: 'comment', count: 4 }] })).toEqual([
      'Records that go with it: 2 of post, 4 of comment.',
      'Records that stay, and do not say any more that they are yours: 3 of note.',
      'Records that stay, and belong to an account without a name: 1 of vote.',
    ]);
  });

  it('adds up what refers by several relations, and says so where there is nothing', () => {
    const records = [record('post', 'delete', 2), record('post', 'delete', 1)];
    expect(foreseenLines({ records, along: [] })).toEqual(['Records that go with it: 3 of post.']);
    expect(foreseenLines({ records: [], along: [] })).toEqual(['No records here are yours.']);
  });
});
