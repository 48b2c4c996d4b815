import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../..');
export const COMPILER = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
/** Packages that a custom application installs besides Lintel and that these tests import. */
const PACKAGES = ['@nestjs', '@types', 'class-transformer', 'class-validator', 'typeorm'];

const OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
  types: ['node'],
  rootDir: 'src',
  outDir: 'dist',
};

/** Creates a package in a directory that depends on Lintel, linked as npm would. */
export function makeConsumer(directory: string, files: Readonly<Record<string, string>>): void {
  const packages = join(directory, 'node_modules');
  mkdirSync(packages, { recursive: true });
  symlinkSync(ROOT, join(packages, 'lintel'), 'dir');
  for (const name of PACKAGES) symlinkSync(join(ROOT, 'node_modules', name), join(packages, name), 'dir');
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

/** Compiles `src/*.ts` of a directory to `dist` and returns the compiler errors. */
export function compile(directory: string, files: readonly string[]): string[] {
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files }));
  const { stdout } = spawnSync(process.execPath, [COMPILER, '--pretty', 'false'], { cwd: directory, encoding: 'utf8' });
  // Indented lines belong to the error above.
  return stdout.split(/\n(?=\S)/).filter((complaint) => complaint.trim() !== '');
}
