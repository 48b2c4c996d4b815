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

describe('right-to-left layout', () => {
  it('uses logical properties in style sheets', () => {
    expect(linesWith('.css', SIDED)).toEqual([]);
  });

  it('uses logical properties in components', () => {
    expect(linesWith('.tsx', SIDED_PROPERTY)).toEqual([]);
  });

  it.each(['  left: 0;', 'margin-left: 1px;', 'a{text-align:right}', 'border-right-width: 0;', 'float: left;'])(
    'reports %j',
    (line) => expect(SIDED.test(line)).toBe(true),
  );

  it.each(['inset-inline-start: 0;', 'margin-inline: auto;', '--left-over: 1;', 'text-align: start;'])(
    'allows %j',
    (line) => expect(SIDED.test(line)).toBe(false),
  );
});
