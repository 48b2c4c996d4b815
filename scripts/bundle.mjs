import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { installedLibraries, leaveOutMissing } from './libraries.mjs';
import { must, ROOT } from './run.mjs';

const COMPILED = join(ROOT, 'dist', 'src');
const BUNDLED = join(ROOT, 'dist', 'program');

/**
 * Entry points that are run, and the name by which each is called from outside. The last one is for tests that run many commands in
 * one process.
 */
const ENTRIES = { main: '', cli: '', 'bootstrap/run-command': 'runCommand' };
/** The flags that the service and commands are started with: V8 takes what it has compiled with the same flags alone. */
const FLAGS = [[], ['--max-semi-space-size=32']];

/**
 * Bundles what `npm start` and the command line load, with their libraries, into `dist/program`, and compiles it: a process
 * that reads twenty files in place of 2,900, compiled before, is up in a third of the time. Applications of teams share our
 * modules and libraries, so they load `dist/src`: see docs/internals/adr/0047.
 */
export async function bundleProgram() {
  const bundle = await rolldown({
    input: Object.keys(ENTRIES).map((name) => join(COMPILED, `${name}.js`)),
    platform: 'node',
    // Native code.
    external: /^@node-rs\//,
    plugins: [installedLibraries, requireLater, keepAddresses, leaveOutMissing, importByLoader, oneTypeOrm, pgOnNode],
    // Of libraries: a name that is exported twice, an `eval` that is never reached.
    logLevel: 'silent',
  });
  rmSync(BUNDLED, { recursive: true, force: true });
  const { output } = await bundle.write({
    dir: BUNDLED,
    // What is compiled of CommonJS can be kept, on every Node.
    format: 'cjs',
    entryFileNames: 'run-[name].js',
    // Names of classes are read: by the container's messages, by what counts tries, by TypeORM.
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
  // What is loaded when it is wanted: the entries themselves would run.
  const later = output.filter(({ isDynamicEntry }) => isDynamicEntry).map(({ fileName }) => fileName);
  const keep = `require(${JSON.stringify(join(BUNDLED, 'load.js'))}).keep(${JSON.stringify(later)})`;
  for (const flags of FLAGS) await must('node', [...flags, '--eval', keep]);
}

/** Own files that look for something beside them find it where they stood. */
const keepAddresses = {
  name: 'keep-addresses',
  transform(code, id) {
    if (!id.startsWith(join(ROOT, 'dist')) || !code.includes('import.meta.url')) return null;
    const address = relative(BUNDLED, id).replaceAll('\\', '/');
    return { code: code.replaceAll('import.meta.url', `new URL('${address}', import.meta.url).href`), map: null };
  },
};

/** Plugin that bundles what our own files require when they want it, to be run then. */
const requireLater = {
  name: 'require-later',
  transform(code, id) {
    if (!id.startsWith(join(ROOT, 'dist')) || !code.includes('createRequire(')) return null;
    return { code: code.replaceAll(/\bcreateRequire\(import\.meta\.url\)(?=\('(?!lintel\/))/g, 'require'), map: null };
  },
};

/** Plugin that hands imports to the loader: what has been compiled before cannot import, since V8 forgets on whose behalf. */
const importByLoader = {
  name: 'import-by-loader',
  renderChunk: (code) => code.replaceAll(/(?<=(?:=>|[(=?:,]|\bawait|\breturn)\s*)import\(/g, 'importOutside('),
};

/** Plugin that gives @nestjs/typeorm the TypeORM of the bundle for a `require` of its own: a second one took a fifth of a start. */
const oneTypeOrm = {
  name: 'one-typeorm',
  transform(code, id) {
    if (!/[\\/]@nestjs[\\/]typeorm[\\/]dist[\\/]common[\\/]typeorm-compat\.js$/.test(id)) return null;
    const asked = "const typeorm = require('typeorm');";
    if (!code.includes(asked)) throw new Error(`${id} asks for TypeORM in another way.`);
    return { code: `import * as typeorm from 'typeorm';\n${code.replace(asked, '')}`, map: null };
  },
};

/** pg asks whether it runs on Cloudflare's machines by a `Response`, for which Node 20 loads all of its HTTP client. */
const pgOnNode = {
  name: 'pg-on-node',
  transform(code, id) {
    if (!/[\\/]pg[\\/]lib[\\/]stream\.js$/.test(id)) return null;
    const asked = 'if (isCloudflareRuntime())';
    if (!code.includes(asked)) throw new Error(`${id} asks where it runs in another way.`);
    return { code: code.replace(asked, 'if (false)'), map: null };
  },
};

/**
 * Writes a module with one byte a letter. A text in which one letter needs two bytes is kept with two for all of them, for as long as
 * the program runs: such letters are written as escapes, which mean the same in strings, templates, regular expressions and names. So
 * are all that are not ASCII: whatever reads the file, by one byte a letter or as UTF-8, reads the same.
 */
function writeOneByteEach(file) {
  const code = readFileSync(file, 'utf8');
  const changed = /(?<!\\)(?:\\\\)*\\[\u0080-\uffff]|String\.raw`[^`]*[\u0080-\uffff]/.exec(code);
  if (changed !== null)
    throw new Error(`${file}: an escape would mean something else here: ${changed[0].slice(0, 80)}`);
  const escape = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, code.replaceAll(/[\u0080-\uffff]/g, escape), 'latin1');
}
