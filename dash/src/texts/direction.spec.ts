import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');
/** CSS that refers to a physical side instead of a logical one. */
const SIDED =
  /(?<![\w-])(?:(?:margin|padding|border|inset|scroll-margin)-)?(?:left|right)(?:-\w+)*\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)\b|border-(?:top|bottom)-(?:left|right)-radius/;
const SIDED_PROPERTY = /<[^>]*\s(?:ml|mr|pl|pr|left|right)=/;

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('reference'));

const linesWith = (ending: string, pattern: RegExp): string[] =>
  files
    .filter((name) => name.endsWith(ending))
    .flatMap((name) => {
      const lines = readFileSync(join(ROOT, name), 'utf8').split('\n');
      return lines.filter((line) => pattern.test(line)).map((line) => `${name}: ${line.trim()}`);
    });

describe('pages that are read from the right', () => {
  it('find no side of the screen in a style sheet: what is at the start of a line stays at its start', () => {
    expect(linesWith('.css', SIDED)).toEqual([]);
  });

  it('find none in a component', () => {
    expect(linesWith('.tsx', SIDED_PROPERTY)).toEqual([]);
  });

  it.each(['  left: 0;', 'margin-left: 1px;', 'a{text-align:right}', 'border-right-width: 0;', 'float: left;'])(
    'would be told of %j',
    (line) => expect(SIDED.test(line)).toBe(true),
  );

  it.each(['inset-inline-start: 0;', 'margin-inline: auto;', '--left-over: 1;', 'text-align: start;'])(
    'have nothing against %j',
    (line) => expect(SIDED.test(line)).toBe(false),
  );
});
