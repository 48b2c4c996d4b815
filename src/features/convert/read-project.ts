import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { readZip } from '../../data/schema/schema.public.js';
import type { SourceFile } from '../../../packages/convert/src/convert.js';

const READ = /\.(json|ya?ml)$/i;
/** Bytes of all files together. @internal */
const LARGEST = 64 * 1024 * 1024;
/** @internal */
const MAX_FILES = 10_000;
const SKIPPED = new Set(['node_modules', 'dist', 'build']);

/**
 * Reads the files of a project that can contain definitions. The path is a directory, a zip archive or one file.
 *
 * @throws RangeError for a project that is too large, and errors of the file system.
 */
export function readProject(path: string): readonly SourceFile[] {
  if (statSync(path).isDirectory()) return readDirectory(path);
  if (/\.zip$/i.test(path)) return unpackProject(readFileSync(path));
  return [{ name: basename(path), text: readFileSync(path, 'utf8') }];
}

/** Unpacks the files of a project from a zip archive. Throws `body_malformed` and `body_too_large`. */
export function unpackProject(archive: Buffer): readonly SourceFile[] {
  return readZip(archive)
    .filter(({ name }) => READ.test(name))
    .map(({ name, content }) => ({ name, text: content }))
    .sort(byName);
}

function readDirectory(root: string): readonly SourceFile[] {
  const files: SourceFile[] = [];
  let bytes = 0;
  for (const path of pathsIn(root)) {
    bytes += statSync(path).size;
    if (files.length === MAX_FILES || bytes > LARGEST)
      throw new RangeError(
        `${root} has more than ${MAX_FILES} files, or more than 64 MiB of them: specify the directory of the project itself.`,
      );
    files.push({ name: relative(root, path).replaceAll(sep, '/'), text: readFileSync(path, 'utf8') });
  }
  return files.sort(byName);
}

/** Symbolic links are not followed, because they can form cycles. */
function* pathsIn(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory() && isRead(entry)) yield* pathsIn(join(directory, entry.name));
    else if (entry.isFile() && READ.test(entry.name)) yield join(directory, entry.name);
  }
}

function isRead({ name }: Dirent): boolean {
  return !name.startsWith('.') && !SKIPPED.has(name);
}

function byName(a: SourceFile, b: SourceFile): number {
  return a.name < b.name ? -1 : 1;
}
