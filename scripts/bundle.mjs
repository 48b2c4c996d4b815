import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './run.mjs';

const COMPILED = join(ROOT, 'dist', 'src');
const BUNDLED = join(ROOT, 'dist', 'program');

/**
 * Bundles what `npm start` and the command line load, with their libraries, into `dist/program`: a process that reads twenty
 * files in place of 2,900 is up in half of the time. Applications of teams share our modules and libraries, so they load
 * `dist/src`: see docs/adr/0047.
 */
export async function bundleProgram() {
  const bundle = await rolldown({
    input: { main: join(COMPILED, 'main.js'), cli: join(COMPILED, 'cli.js') },
    platform: 'node',
    // Native code.
    external: /^@node-rs\//,
    plugins: [keepAddresses, leaveOutMissing],
    // Of libraries: a name that is exported twice, an `eval` that is never reached.
    logLevel: 'silent',
  });
  rmSync(BUNDLED, { recursive: true, force: true });
  // Names of classes are read: by the container's messages, by what counts tries, by TypeORM.
  await bundle.write({ dir: BUNDLED, format: 'esm', keepNames: true, comments: { jsdoc: false } });
  await bundle.close();
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

/** What a library tries to load and goes without is asked for when the program runs, as it is without a bundle. */
const leaveOutMissing = {
  name: 'leave-out-missing',
  async resolveId(id, importer, options) {
    if (importer === undefined || /^[./]|^node:/.test(id)) return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    return found ?? { id, external: true };
  },
};
