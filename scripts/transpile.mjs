import { existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformFileSync } from '@swc/core';
import { ROOT } from './run.mjs';

const CACHE = join(ROOT, 'node_modules/.cache/lintel');

const SOURCES = ['src', 'packages'];

/**
 * Imports a module by its path without extension, and without a build. It transpiles only changed files and checks nothing. For tools;
 * programs that start the product use the build.
 */
export function importSource(name) {
  // The cache may still contain a module that was moved.
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
  // All other settings come from .swcrc.
  const { code } = transformFileSync(source, { module: { type: 'es6' }, sourceMaps: false });
  mkdirSync(dirname(output), { recursive: true });
  // Renaming makes the write atomic: other processes may read or write the same file.
  const draft = `${output}.${process.pid}`;
  writeFileSync(draft, code);
  utimesSync(draft, mtime, mtime);
  renameSync(draft, output);
}
