/**
 * Loads the bundle that it stands beside (dist/program) as Node loads CommonJS modules, and hands V8 what it has compiled of it
 * before: a start that compiles nine megabytes spends a third of its time there. What was kept by another version of V8, or with
 * other flags, is passed over. See docs/internals/adr/0047.
 */
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');

const TAG = cachedDataVersionTag();
const nodeRequire = createRequire(__filename);
/** Exports of modules, by their file. */
const modules = new Map();
const scripts = new Map();

/** Runs a module of the bundle once, and returns what it exports. */
exports.load = function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const filename = join(__dirname, name);
  // The build has written every other letter as an escape.
  const text = readFileSync(filename, 'latin1').replace(/^#!.*/, '');
  // It begins on the first line, so that every line keeps its number in a stack.
  const code = `(function (exports, require, module, __filename, __dirname, importOutside) {${text}\n})`;
  const script = new Script(code, { filename, cachedData: readKept(filename) });
  const module = { exports: {} };
  modules.set(name, module);
  scripts.set(name, script);
  const run = script.runInThisContext();
  run.call(module.exports, module.exports, requireFromBundle, module, filename, __dirname, importOutside);
  return module.exports;
};

/** Loads modules of the bundle and keeps what V8 has compiled of them, for this version and these flags. */
exports.keep = function keep(names) {
  for (const name of names) exports.load(name);
  for (const [name, script] of scripts) writeFileSync(keptFor(join(__dirname, name)), script.createCachedData());
};

/** Plugins, and modules that a library would like to have: see scripts/bundle.mjs. */
const importOutside = (name) => import(name);

/** Modules of the bundle name each other by where they stand; what stays outside is Node's to find. */
const requireFromBundle = Object.assign(
  (name) => (name.startsWith('./') ? exports.load(name.slice(2)) : nodeRequire(name)),
  nodeRequire,
);

/** Returns the path of the compiled code, beside each module, so that a command reads what it needs. */
const keptFor = (filename) => `${filename}-${TAG}.cache`;

function readKept(filename) {
  try {
    return readFileSync(keptFor(filename));
  } catch {
    return undefined;
  }
}
