/**
 * Loads the bundle in its directory (dist/program) like CommonJS modules, with V8's code cache. Compiling nine megabytes would take a third
 * of the start time. A cache from another V8 version, or with other flags, is ignored. See docs/internals/adr/0047.
 */
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');

const TAG = cachedDataVersionTag();
const nodeRequire = createRequire(__filename);
const modules = new Map();
const scripts = new Map();

exports.load = function load(name) {
  const loaded = modules.get(name);
  if (loaded !== undefined) return loaded.exports;
  const filename = join(__dirname, name);
  // The build escapes all non-ASCII characters.
  const text = readFileSync(filename, 'latin1').replace(/^#!.*/, '');
  // The code starts on the first line, so that line numbers in stack traces stay correct.
  const code = `(function (exports, require, module, __filename, __dirname, importOutside) {${text}\n})`;
  const script = new Script(code, { filename, cachedData: readKept(filename) });
  const module = { exports: {} };
  modules.set(name, module);
  scripts.set(name, script);
  const run = script.runInThisContext();
  run.call(module.exports, module.exports, requireFromBundle, module, filename, __dirname, importOutside);
  return module.exports;
};

/** Loads modules of the bundle and writes V8's code cache for this version and these flags. */
exports.keep = function keep(names) {
  for (const name of names) exports.load(name);
  for (const [name, script] of scripts) writeFileSync(keptFor(join(__dirname, name)), script.createCachedData());
};

/** Import outside the bundle: plugins, and optional packages of libraries (scripts/bundle.mjs). */
const importOutside = (name) => import(name);

/** Loads modules of the bundle by relative path; Node resolves everything else. */
const requireFromBundle = Object.assign(
  (name) => (name.startsWith('./') ? exports.load(name.slice(2)) : nodeRequire(name)),
  nodeRequire,
);

/** Returns the path of the code cache. Each module has its own file, so that a command reads only the modules it needs. */
const keptFor = (filename) => `${filename}-${TAG}.cache`;

function readKept(filename) {
  try {
    return readFileSync(keptFor(filename));
  } catch {
    return undefined;
  }
}
