import { withEscape, withoutEscape } from './export-format.js';

describe('text that a spreadsheet would evaluate', () => {
  it.each(['=1+1', "'=1", "''@x", "'", "''", 'plain', '', "'plain", '-5', '\t=1', " '=1", '＝1', "'\t", '\n'])(
    'is restored unchanged: %j',
    (text) => expect(withoutEscape(withEscape(text))).toBe(text),
  );

  it('is escaped by one more apostrophe', () => {
    expect(['=1', "'=1", "'a"].map(withEscape)).toEqual(["'=1", "''=1", "'a"]);
  });
});
