import { withEscape, withoutEscape } from './formulas.js';

describe('text that a spreadsheet would compute', () => {
  it.each(['=1+1', "'=1", "''@x", "'", "''", 'plain', '', "'plain", '-5', '\t=1', " '=1", '＝1', "'\t", '\n'])(
    'comes back as it was: %j',
    (text) => expect(withoutEscape(withEscape(text))).toBe(text),
  );

  it('is harmless, with as many apostrophes as it had and one more', () => {
    expect(['=1', "'=1", "'a"].map(withEscape)).toEqual(["'=1", "''=1", "'a"]);
  });
});
