/** `npm run generate`: writes what is made from the tables in the code. `--check` only compares, and fails where a file is stale. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './run.mjs';
import { importSource } from './transpile.mjs';

const { generatedFiles } = await importSource('src/generated-files');
const stale = [];
for (const [name, text] of Object.entries(generatedFiles())) {
  const path = join(ROOT, name);
  if (process.argv.includes('--check')) {
    let current = '';
    try {
      current = readFileSync(path, 'utf8');
    } catch {
      // missing is stale
    }
    if (current !== text) stale.push(name);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${name}`);
  }
}
if (stale.length > 0) {
  console.error(`Stale: ${stale.join(', ')}. Run \`npm run generate\`.`);
  process.exit(1);
}
