import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from './run.mjs';

const TARGET = join(ROOT, 'dist/libraries/types');
const OPTIONS = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };

/**
 * Copies the declarations of libraries into `dist/libraries/types`, with those of transitive packages that an installation does not
 * contain. Public types of Lintel reference some of them, such as the Fastify request.
 *
 * @param isInstalled whether an installation contains an imported module.
 * @returns the paths of the copies, by library name.
 */
export function copyTypes(names, isInstalled) {
  const seen = new Set();
  const copies = names.map((name) => {
    const file = resolve(name, join(ROOT, 'src/main.ts'), ts.ModuleKind.ESNext);
    copy(file, { seen, isInstalled });
    return [name, copyOf(file)];
  });
  return Object.fromEntries(copies);
}

function copy(file, context) {
  if (context.seen.has(file)) return;
  context.seen.add(file);
  const text = readFileSync(file, 'utf8');
  let copied = text;
  const { importedFiles, referencedFiles } = ts.preProcessFile(text, true, true);
  for (const { fileName } of referencedFiles) copy(join(dirname(file), fileName), context);
  // In reverse order, so that positions stay valid.
  for (const { fileName, pos, end } of importedFiles.toSorted((one, other) => other.pos - one.pos)) {
    if (!fileName.startsWith('.') && context.isInstalled(fileName)) continue;
    const found = resolve(fileName, file, formatOf(file));
    if (found === null || /node_modules[\\/]@types[\\/]/.test(found)) continue;
    copy(found, context);
    const quote = text[pos];
    const isQuoted = quote === '"' || quote === "'";
    const [from, to] = isQuoted ? [pos + 1, pos + 1 + fileName.length] : [pos, end];
    copied = `${copied.slice(0, from)}${specifierOf(copyOf(file), copyOf(found))}${copied.slice(to)}`;
  }
  mkdirSync(dirname(copyOf(file)), { recursive: true });
  writeFileSync(copyOf(file), copied.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n'));
  writeFormat(file);
}

function resolve(specifier, file, mode) {
  const { resolvedModule } = ts.resolveModuleName(specifier, file, OPTIONS, ts.sys, undefined, undefined, mode);
  return resolvedModule?.resolvedFileName.endsWith('ts') ? resolvedModule.resolvedFileName : null;
}

function formatOf(file) {
  if (file.endsWith('.d.mts')) return ts.ModuleKind.ESNext;
  if (file.endsWith('.d.cts')) return ts.ModuleKind.CommonJS;
  return descriptionOf(file).type === 'module' ? ts.ModuleKind.ESNext : ts.ModuleKind.CommonJS;
}

function descriptionOf(file) {
  return JSON.parse(readFileSync(join(packageOf(file), 'package.json'), 'utf8'));
}

export function packageOf(file) {
  return /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)[0];
}

/** Writes a package.json beside a copy, from which the compiler reads the module format. */
function writeFormat(file) {
  const path = join(dirname(copyOf(join(packageOf(file), 'package.json'))), 'package.json');
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ type: descriptionOf(file).type ?? 'commonjs' })}\n`);
}

function copyOf(file) {
  const path = relative(join(ROOT, 'node_modules'), file).replaceAll(/node_modules[\\/]/g, 'below/');
  return join(TARGET, path);
}

export function specifierOf(from, to) {
  const path = relative(dirname(from), to)
    .replaceAll('\\', '/')
    .replace(/\.d\.([cm]?)ts$/, '.$1js');
  return path.startsWith('.') ? path : `./${path}`;
}
