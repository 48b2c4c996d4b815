import { OF_SERVICE } from '../data/service-schemas.js';

/** Whose files schemas are read from. */
export const SOURCES = ['lintel', 'directus', 'fastschema', 'pocketbase', 'strapi'] as const;
export type Source = (typeof SOURCES)[number];

/** A file that was read, by its path in the folder that was chosen. */
export interface ReadFile {
  readonly name: string;
  readonly text: string;
}

const FOLDERS: readonly Source[] = ['fastschema', 'strapi'];
/** What projects keep beside their schemas, and what no converter reads. */
const PASSED_OVER = /(^|\/)(node_modules|dist|build|\.[^/]+)\//;

/** Whether a product keeps its schemas in a folder of many files. */
export function ofFolders(source: Source): boolean {
  return FOLDERS.includes(source);
}

/** Reads those of the files that somebody chose which are looked at. */
export function readFiles(source: Source, chosen: readonly File[]): Promise<readonly ReadFile[]> {
  const wanted = chosen.map((file) => ({ file, name: pathOf(file) })).filter(({ name }) => isRead(source, name));
  return Promise.all(wanted.map(async ({ file, name }) => ({ name, text: await file.text() })));
}

/** Returns the definitions of files that have one each, a list, or a list called `schemas`. @throws SyntaxError for a file that has none. */
export function definitionsOf(files: readonly ReadFile[]): readonly object[] {
  return files.flatMap(({ text }) => {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) throw new SyntaxError('no definition');
    if (Array.isArray(value)) return value as object[];
    return 'schemas' in value && Array.isArray(value.schemas) ? (value.schemas as object[]) : [value];
  });
}

/** Writes schemas of one's own as a file that can be brought in again. */
export function fileOf(schemas: readonly { readonly name: string }[]): string {
  return `${JSON.stringify({ schemas: schemas.filter(({ name }) => !OF_SERVICE.includes(name)) }, null, 2)}\n`;
}

/** Whether a file is one that the converter of a product looks at. */
export function isRead(source: Source, name: string): boolean {
  if (PASSED_OVER.test(name)) return false;
  return !ofFolders(source) || name.endsWith('.json');
}

/** The path below the folder that was chosen, without the name of that. */
function pathOf({ name, webkitRelativePath: path }: File): string {
  return path === '' ? name : path.split('/').slice(1).join('/');
}
