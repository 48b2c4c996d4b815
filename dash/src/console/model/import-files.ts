import { OF_SERVICE } from '../data/service-schemas.js';
import { filesInZip, isZip, type ReadFile } from './zip-files.js';

export const SOURCES = ['lintel', 'directus', 'fastschema', 'pocketbase', 'strapi'] as const;
export type Source = (typeof SOURCES)[number];

const FOLDERS: readonly Source[] = ['fastschema', 'strapi'];
/** Folders that no converter reads. */
const IGNORED_FOLDERS = /(^|\/)(node_modules|dist|build|\.[^/]+)\//;

export function isFolderSource(source: Source): boolean {
  return FOLDERS.includes(source);
}

/** Reads the relevant files of the selection, including those in zip archives. @throws BrokenZip */
export async function readFiles(source: Source, chosen: readonly File[]): Promise<readonly ReadFile[]> {
  const isRelevant = (name: string): boolean => isSourceFile(source, name);
  const read = await Promise.all(
    chosen.map(async (file) => {
      const name = pathOf(file);
      if (isZip(name)) return filesInZip(name, new Uint8Array(await file.arrayBuffer()), isRelevant);
      return isRelevant(name) ? [{ name, text: await file.text() }] : [];
    }),
  );
  return read.flat();
}

/** Returns the definitions in files: each contains one, a list, or a list called `schemas`. @throws SyntaxError for any other content. */
export function definitionsOf(files: readonly ReadFile[]): readonly object[] {
  return files.flatMap(({ text }) => {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) throw new SyntaxError('no definition');
    if (Array.isArray(value)) return value as object[];
    return 'schemas' in value && Array.isArray(value.schemas) ? (value.schemas as object[]) : [value];
  });
}

export function fileOf(schemas: readonly { readonly name: string }[]): string {
  return `${JSON.stringify({ schemas: schemas.filter(({ name }) => !OF_SERVICE.includes(name)) }, null, 2)}\n`;
}

export function isSourceFile(source: Source, name: string): boolean {
  if (IGNORED_FOLDERS.test(name)) return false;
  return !isFolderSource(source) || name.endsWith('.json');
}

function pathOf({ name, webkitRelativePath: path }: File): string {
  return path === '' ? name : path.split('/').slice(1).join('/');
}
