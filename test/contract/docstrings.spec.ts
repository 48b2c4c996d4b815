import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const FOLDERS = ['src', 'packages', 'dash/src', 'test', 'bench', 'scripts', '.ci'];
const GENERATED = /(^|\/)(node_modules|openapi\.ts$|dist\/)/;
/** Openings that name neither a thing nor a deed. */
const LITERARY =
  /^(What|Where|Whoever|Who|Whom|Whose|Whatever|How|Whenever|Wherever|Everything|That|Those|Why|Which|Somebody|Nobody|Nothing|Another)\b/;
/** A verb in the third person, as in "Returns", "Passes", "Goes". */
const VERB = /^(?!This|Its|Always|As\b|Is\b|Whereas|Unless|Sometimes)[A-Z][a-z]+s\b/;
/** A docstring with the first line of what it stands above; decorators stand between them at times. */
const DOCSTRING = /^[ \t]*\/\*\*\s*(?:\*\s)?((?:(?!\*\/)[^])*?)\s*\*\/\s*\n((?:\s*@.*\n)*)(.*)/gm;
/** First lines of functions, constants that are one, and methods. */
const FUNCTION =
  /^\s*(?:export )?(?:default )?(?:async )?function\b|^\s*(?:export )?const \w+ = (?:async )?(?:\([^()]*\)|\w+)(?:: [^=]+)? =>|^\s+(?:(?:private|protected|public|static|override|abstract|async) )*(?:\*|async \*)?#?(?!constructor|if|for|while|switch|return)\w+(?:<.*>)?\((?!.*\)\.)/;

interface Docstring {
  readonly place: string;
  readonly text: string;
  readonly code: string;
}

function docstringsOf(path: string): Docstring[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  return [...source.matchAll(DOCSTRING)].map(([, text = '', , code = '']) => ({
    place: `${path}: ${text}`,
    text,
    code,
  }));
}

describe('docstrings', () => {
  const all = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path) && !GENERATED.test(path)),
  ).flatMap(docstringsOf);

  it('open with a thing or a verb, not with what, where, who or how', () => {
    expect(all.length).toBeGreaterThan(5_000);
    expect(all.filter(({ text }) => LITERARY.test(text)).map(({ place }) => place)).toEqual([]);
  });

  it('begin with a verb if they are about a function', () => {
    const ofFunctions = all.filter(({ text, code }) => FUNCTION.test(code) && !text.startsWith('@'));
    expect(ofFunctions.length).toBeGreaterThan(3_000);
    expect(ofFunctions.filter(({ text }) => !VERB.test(text)).map(({ place }) => place)).toEqual([]);
  });
});
