import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { installedLibraries, leaveOutMissing } from './libraries.mjs';
import { must, ROOT } from './run.mjs';

const COMPILED = join(ROOT, 'dist', 'src');
const BUNDLED = join(ROOT, 'dist', 'program');

/** Entry points, with the export that the wrapper provides. The last one is for tests that run many commands in one process. */
const ENTRIES = { main: '', cli: '', 'bootstrap/run-command': 'runCommand' };
/** Node flags of the service and of commands: V8 accepts cached code only with the same flags. */
const FLAGS = [[], ['--max-semi-space-size=32']];

/**
 * Bundles the service and the command line with their libraries into `dist/program`, and compiles the bundle. A process that reads 20
 * compiled files instead of 2,900 starts in a third of the time. Custom applications share modules and libraries with Lintel, so they load
 * `dist/src`: see docs/internals/adr/0047.
 */
export async function bundleProgram() {
  const bundle = await rolldown({
    input: Object.keys(ENTRIES).map((name) => join(COMPILED, `${name}.js`)),
    platform: 'node',
    // Native code.
    external: /^@node-rs\//,
    plugins: [installedLibraries, requireLater, keepAddresses, leaveOutMissing, importByLoader, oneTypeOrm, pgOnNode],
    // Warnings of libraries: a duplicate export, an unreachable `eval`.
    logLevel: 'silent',
  });
  rmSync(BUNDLED, { recursive: true, force: true });
  const { output } = await bundle.write({
    dir: BUNDLED,
    // Compiled code of CommonJS can be cached on every Node version.
    format: 'cjs',
    entryFileNames: 'run-[name].js',
    // Class names are used by messages of the container, by rate limit counters and by TypeORM.
    keepNames: true,
    comments: { jsdoc: false },
  });
  await bundle.close();
  for (const { fileName } of output) writeOneByteEach(join(BUNDLED, fileName));
  const inBundle = (name, text) => writeFileSync(join(BUNDLED, name), text);
  inBundle('package.json', '{"type":"commonjs"}\n');
  copyFileSync(join(ROOT, 'scripts/program-loader.cjs'), join(BUNDLED, 'load.js'));
  for (const [name, exported] of Object.entries(ENTRIES)) {
    const file = basename(name);
    const load = `require('./load.js').load('run-${file}.js')`;
    inBundle(`${file}.js`, exported === '' ? `${load};\n` : `exports.${exported} = ${load}.${exported};\n`);
  }
  // Only dynamically loaded modules: loading the entries would run them.
  const later = output.filter(({ isDynamicEntry }) => isDynamicEntry).map(({ fileName }) => fileName);
  const keep = `require(${JSON.stringify(join(BUNDLED, 'load.js'))}).keep(${JSON.stringify(later)})`;
  for (const flags of FLAGS) await must('node', [...flags, '--eval', keep]);
}

/** Plugin that keeps `import.meta.url` pointing to the original location, for files that load neighbouring files. */
const keepAddresses = {
  name: 'keep-addresses',
  transform(code, id) {
    if (!id.startsWith(join(ROOT, 'dist')) || !code.includes('import.meta.url')) return null;
    const address = relative(BUNDLED, id).replaceAll('\\', '/');
    return { code: code.replaceAll('import.meta.url', `new URL('${address}', import.meta.url).href`), map: null };
  },
};

/** Plugin that bundles modules that project files load with `createRequire` on demand. */
const requireLater = {
  name: 'require-later',
  transform(code, id) {
    if (!id.startsWith(join(ROOT, 'dist')) || !code.includes('createRequire(')) return null;
    return { code: code.replaceAll(/\bcreateRequire\(import\.meta\.url\)(?=\('(?!lintel\/))/g, 'require'), map: null };
  },
};

/** Plugin that passes dynamic imports to the loader: code from V8's cache cannot import, because it has no referrer. */
const importByLoader = {
  name: 'import-by-loader',
  renderChunk: (code) => code.replaceAll(/(?<=(?:=>|[(=?:,]|\bawait|\breturn)\s*)import\(/g, 'importOutside('),
};

/** Plugin that makes @nestjs/typeorm use the bundled TypeORM. A second copy took a fifth of the start time. */
const oneTypeOrm = {
  name: 'one-typeorm',
  transform(code, id) {
    if (!/[\\/]@nestjs[\\/]typeorm[\\/]dist[\\/]common[\\/]typeorm-compat\.js$/.test(id)) return null;
    const original = "const typeorm = require('typeorm');";
    if (!code.includes(original)) throw new Error(`${id} asks for TypeORM in another way.`);
    return { code: `import * as typeorm from 'typeorm';\n${code.replace(original, '')}`, map: null };
  },
};

/** Plugin that removes pg's check for Cloudflare. It uses `Response`, for which Node 20 loads its whole HTTP client. */
const pgOnNode = {
  name: 'pg-on-node',
  transform(code, id) {
    if (!/[\\/]pg[\\/]lib[\\/]stream\.js$/.test(id)) return null;
    const original = 'if (isCloudflareRuntime())';
    if (!code.includes(original)) throw new Error(`${id} asks where it runs in another way.`);
    return { code: code.replace(original, 'if (false)'), map: null };
  },
};

/**
 * Writes a file with ASCII characters only. V8 stores a text with two bytes per character if one character needs two, so other characters
 * become escapes. These mean the same in strings, templates, regular expressions and names. ASCII also reads the same as Latin-1 and as
 * UTF-8.
 */
function writeOneByteEach(file) {
  const code = readFileSync(file, 'utf8');
  const changed = /(?<!\\)(?:\\\\)*\\[\u0080-\uffff]|String\.raw`[^`]*[\u0080-\uffff]/.exec(code);
  if (changed !== null)
    throw new Error(`${file}: an escape would mean something else here: ${changed[0].slice(0, 80)}`);
  const escape = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, code.replaceAll(/[\u0080-\uffff]/g, escape), 'latin1');
}
