import { markdownParagraphs, MAX_WORDS, measure, PATTERNS, sourceTexts } from '../../scripts/prose.mjs';

const countOf = (name: string, text: string): number | undefined => measure([text]).counts[name];

describe('the text measurement', () => {
  it.each([
    ['what', 'It returns what is stored.', 'It returns the stored value. What is it?'],
    ['tell', 'A mail tells the owner.', 'A mail notifies the owner.'],
    ['who', 'Keys of who is inactive are rejected.', 'Keys of users who are inactive are rejected.'],
    ['stand', 'The name stands in the path.', 'Two letters stand for one. The standby is stand-alone.'],
    ['of its own', 'It has a table of its own.', 'It has its own table.'],
  ])('counts "%s", and only there', (name, text, plain) => {
    expect([countOf(name, text), countOf(name, plain)]).toEqual([1, 0]);
    expect(Object.keys(PATTERNS)).toContain(name);
  });

  it('counts long sentences, but no headings and no cells without a full stop', () => {
    const sentence = (words: number): string => `${'word '.repeat(words).trim()}.`;
    expect(measure([sentence(MAX_WORDS), sentence(MAX_WORDS + 1)]).longPercent).toBe(50);
    expect(measure([sentence(10), 'word '.repeat(MAX_WORDS + 1).trim()])).toMatchObject({ longPercent: 0, words: 41 });
  });

  it('reads the prose of a page, without code and mark-up', () => {
    const page =
      '# Title\n\nOne `what is` and [a link](what/is.md).\n\n```sh\nwhat is\n```\n\n| A | B |\n|---|---|\n| left | right |\n';
    expect(markdownParagraphs(page)).toEqual(['Title', 'One X and a link.', 'left', 'right']);
  });

  it('reads comments and messages of a source, but no code, examples and SQL', () => {
    const source = [
      '/** Returns the value. `code`',
      ' *',
      ' *     what is an example',
      ' *',
      ' * @param text the text to read */',
      'const pattern = /what is "here/; // A reason,',
      '// on two lines.',
      "const said = 'The name is not valid.';",
      "const sql = 'SELECT what is FROM names';",
    ].join('\n');
    const { comments, texts } = sourceTexts(source);
    expect(comments.map((text) => text.trim()).filter(Boolean)).toEqual([
      'Returns the value. X',
      'the text to read',
      'A reason, on two lines.',
    ]);
    expect(texts).toEqual(['The name is not valid.']);
  });
});
