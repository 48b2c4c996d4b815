import { existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformFileSync } from '@swc/core';
import { ROOT } from './run.mjs';

const CACHE = join(ROOT, 'node_modules/.cache/lintel');

/** Directories with the sources of modules that tools import. */
const SOURCES = ['src', 'packages'];

/**
 * Imports a module by its path, without an ending, and without a build: only what has changed is transpiled, in a moment, and
 * nothing is checked. For tools; what starts the product starts the built one.
 */
export function importSource(name) {
  // What is left of a module that was moved would still be found.
  if (!existsSync(join(ROOT, `${name}.ts`))) throw new Error(`There is no ${name}.ts.`);
  for (const folder of SOURCES.filter((one) => existsSync(join(ROOT, one)))) {
    for (const file of readdirSync(join(ROOT, folder), { recursive: true })) {
      if (file.endsWith('.ts') && !/(\.spec|\.d)\.ts$/.test(file))
        transpile(join(ROOT, folder, file), join(CACHE, folder, file));
    }
  }
  return import(pathToFileURL(join(CACHE, `${name}.js`)).href);
}

function transpile(source, target) {
  const output = target.replace(/ts$/, 'js');
  const { mtime } = statSync(source);
  if (existsSync(output) && statSync(output).mtimeMs === mtime.getTime()) return;
  // Everything but the kind of modules is as .swcrc has it.
  const { code } = transformFileSync(source, { module: { type: 'es6' }, sourceMaps: false });
  mkdirSync(dirname(output), { recursive: true });
  // Whole or not at all: others may be reading, or doing the same.
  const draft = `${output}.${process.pid}`;
  writeFileSync(draft, code);
  utimesSync(draft, mtime, mtime);
  renameSync(draft, output);
}
