/**
 * Builds the service and its pages into dist/. What did not change since the last build is kept: the compiler remembers
 * what it read (`dist/.tsbuildinfo`), and the pages are built again only if theirs are newer. `--clean` begins anew.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bundleProgram } from './bundle.mjs';
import { compileLibraries } from './libraries.mjs';
import { compiler, must, newestOf, PAGE_SOURCES, ROOT } from './run.mjs';

const nestCli = JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8'));
const DIST = join(ROOT, 'dist');
const PAGES_STAMP = join(DIST, '.built-pages');

if (!existsSync(join(ROOT, 'node_modules', '@typescript', 'native'))) {
  console.error(
    'The build needs the development packages: run `npm ci` without --omit=dev and without NODE_ENV=production.',
  );
  process.exit(1);
}
rmSync(join(DIST, '.built'), { force: true });
// Without its memory the compiler writes everything; without the files that it remembers it would write nothing.
if (process.argv.includes('--clean') || !existsSync(join(DIST, '.tsbuildinfo'))) {
  rmSync(DIST, { recursive: true, force: true });
}
for (const folder of ['src', 'packages']) removeOrphans(folder);
console.log('  compiling the service');
// Like `nest build`, which forgets between two builds what it read.
await must('node', [compiler(), '-p', 'tsconfig.build.json']);
for (const { include, outDir } of nestCli.compilerOptions.assets) {
  const folder = include.slice(0, include.indexOf('/*'));
  cpSync(join(ROOT, 'src', folder), join(ROOT, outDir, 'src', folder), { recursive: true, filter: isAsset });
}
console.log('  compiling libraries into the package');
await compileLibraries();
console.log('  bundling the program');
await bundleProgram();
if (newestOf([PAGES_STAMP]) <= newestOf(PAGE_SOURCES)) {
  console.log('  building the web pages');
  // Whoever asks for the build, tests too: with another NODE_ENV the pages would carry React's own checks, at twice the size.
  const env = { ...process.env, NODE_ENV: 'production' };
  const build = ['build', '--config', 'dash/vite.config.ts', '--logLevel', 'warn'];
  await must('vite', build, { env });
  // On its own: the pages share nothing with it, and would else be cut into more files.
  await must('vite', [...build, '--mode', 'reference'], { env });
  packPages();
  writeFileSync(PAGES_STAMP, '');
}
writeFileSync(join(DIST, '.built'), '');

/** Puts packed files beside those of the pages, so that no request packs any. What is smaller than a packet stays as it is. */
function packPages() {
  const folder = join(DIST, 'dash/assets');
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name));
    if (!/\.(css|js|svg)$/.test(name) || content.length < 1_024) continue;
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
}

/** Removes what was compiled from sources that are gone, so that nothing can still import it. */
function removeOrphans(folder) {
  if (!existsSync(join(DIST, folder))) return;
  for (const entry of readdirSync(join(DIST, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const sources = [path, path.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts')];
    const isOrphan = !sources.some((source) => existsSync(join(ROOT, source)));
    if (entry.isDirectory() && !isOrphan) removeOrphans(path);
    else if (isOrphan) rmSync(join(DIST, path), { recursive: true, force: true });
  }
}

/** Returns whether a file of the sources is taken as it is. */
function isAsset(path) {
  return !path.endsWith('.ts');
}
