import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import '../../src/app.module.js';
import { isErrorCode } from '../../src/kernel/errors/error-catalogue.js';

const ROOT = join(__dirname, '../..');

/** Returns the codes of `data.errors` in a source. */
function codesIn(text: string): string[] {
  const literals = text.matchAll(/code: '([a-z_]+)',\s*message/g);
  const calls = text.matchAll(
    /(?:invalid|fieldInvalid|\.add|addToRow|addNamed)\((?:[^()']|'[^']*')*?, '([a-z_]+)'[,)]/g,
  );
  const table = /const MESSAGES = \{(.*?)\n\}/s.exec(text)?.[1] ?? '';
  return [...literals, ...calls, ...table.matchAll(/^ {2}([a-z_]+):/gm)].map(([, code]) => code!);
}

describe('docs/reference/errors.md', () => {
  it('names every code of a field', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.startsWith(join('data', 'schema')),
    );
    const codes = new Set(sources.flatMap((name) => codesIn(readFileSync(join(ROOT, 'src', name), 'utf8'))));
    expect(codes.size).toBeGreaterThan(30);
    const page = readFileSync(join(ROOT, 'docs/reference/errors.md'), 'utf8');
    const [, section = ''] = page.split(/^## Errors of fields$/m);
    const [fields = ''] = section.split(/^## /m);
    expect([...codes].filter((code) => !fields.includes(`\`${code}\``) && !isErrorCode(code))).toEqual([]);
  });
});
