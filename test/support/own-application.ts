import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../..');
/** What an application of a team's own installs beside Lintel, as far as these tests import it. */
const PACKAGES = ['@nestjs', '@types', 'class-transformer', 'class-validator', 'typeorm'];

/** The settings of a strict consumer. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
  types: ['node'],
};

/** Makes a package in a directory that has Lintel among its dependencies, as npm would link it there. */
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

/** Compiles `src/*.ts` of a directory to `dist`, and returns what the compiler has against it. */
export function compile(directory: string, names: readonly string[]): string[] {
  const options = { ...OPTIONS, rootDir: join(directory, 'src'), outDir: join(directory, 'dist') };
  const program = ts.createProgram(
    names.map((name) => join(directory, name)),
    options,
  );
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ file, messageText }) => {
    return `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
