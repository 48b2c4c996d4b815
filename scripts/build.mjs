/**
 * Builds the service and its pages into dist/. The build is incremental: the compiler keeps its state in `dist/.tsbuildinfo`, and the pages
 * are rebuilt only if their sources are newer. `--clean` rebuilds everything.
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
// Without its state file the compiler writes everything; with the state file but without the outputs it would write nothing.
if (process.argv.includes('--clean') || !existsSync(join(DIST, '.tsbuildinfo'))) {
  rmSync(DIST, { recursive: true, force: true });
}
for (const folder of ['src', 'packages']) removeOrphans(folder);
console.log('  compiling the service');
// Like `nest build`, but incremental.
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
  // NODE_ENV is always production, also when tests start the build: otherwise the pages would include React's checks and double in size.
  const env = { ...process.env, NODE_ENV: 'production' };
  const build = ['build', '--config', 'dash/vite.config.ts', '--logLevel', 'warn'];
  await must('vite', build, { env });
  // A separate build: it shares nothing with the pages, and a common one would create more chunks.
  await must('vite', [...build, '--mode', 'reference'], { env });
  packPages();
  writeFileSync(PAGES_STAMP, '');
}
writeFileSync(join(DIST, '.built'), '');

/** Writes compressed copies of the page files, so that requests need no compression. Files below 1 KiB stay uncompressed. */
function packPages() {
  const folder = join(DIST, 'dash/assets');
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name));
    if (!/\.(css|js|svg)$/.test(name) || content.length < 1_024) continue;
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
}

/** Removes compiled files whose sources are gone, so that nothing can import them. */
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

function isAsset(path) {
  return !path.endsWith('.ts');
}
