import { strToU8, zipSync } from 'fflate';

/** One file of an archive. */
export interface ZipEntry {
  readonly name: string;
  readonly content: string;
}

/** The first day that the format knows, in the time of the machine as the format has it: equal files make equal archives. */
const FIRST_DAY = new Date(1980, 0, 1);

/** Packs small text files, deflated. */
export function zipArchive(entries: readonly ZipEntry[]): Buffer {
  const files = Object.fromEntries(entries.map(({ name, content }) => [name, strToU8(content)]));
  return Buffer.from(zipSync(files, { mtime: FIRST_DAY }));
}
