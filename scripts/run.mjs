import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Returns the compiler for checks and builds: TypeScript 7, a native program. Tools that read types use TypeScript 6: see
 * docs/internals/adr/0069.
 */
export function compiler() {
  return join(dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json')), 'bin/tsc');
}

function start(name, args, options) {
  const program = name === 'node' ? process.execPath : join(ROOT, 'node_modules', '.bin', name);
  return spawn(program, args, { cwd: ROOT, shell: process.platform === 'win32', ...options });
}

export function run(name, args = [], options = {}) {
  const child = start(name, args, { stdio: 'inherit', ...options });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

export function runQuietly(name, args) {
  const chunks = [];
  const child = start(name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 128, output: Buffer.concat(chunks).toString() }));
  });
}

export async function must(name, args = [], options = {}) {
  const code = await run(name, args, options);
  if (code !== 0) process.exit(code);
}

/** Returns the newest modification time below a path, in milliseconds. */
function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs);
}

/** Returns the newest modification time below some paths of the project, in milliseconds; 0 if none of them exists. */
export function newestOf(names) {
  return Math.max(...names.map((name) => newest(resolve(ROOT, name))));
}

export const PAGE_SOURCES = ['dash', 'package-lock.json', 'scripts/build.mjs'];

/** Builds if the sources are newer than the last build. A release without sources is used as it is. */
export async function buildIfNeeded() {
  if (!existsSync(join(ROOT, 'src'))) return;
  const sources = [
    ...PAGE_SOURCES,
    'src',
    // Packing a package writes its `dist`, which is no source.
    ...readdirSync(join(ROOT, 'packages')).flatMap((name) =>
      ['src', 'package.json'].map((part) => join('packages', name, part)),
    ),
    'scripts/libraries.mjs',
    'scripts/library-types.mjs',
    'ormconfig.ts',
    'tsconfig.build.json',
    'tsconfig.json',
  ];
  if (newestOf([join('dist', '.built')]) > newestOf(sources)) return;
  console.log(existsSync(join(ROOT, 'dist', '.built')) ? 'Building what changed…' : 'Building (about a minute)…');
  await must('node', ['scripts/build.mjs']);
}
