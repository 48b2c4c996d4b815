import type { Unzipped } from 'fflate';

export interface ReadFile {
  readonly name: string;
  readonly text: string;
}

/** Maximum total size of the unpacked files, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 2_000;

export class BrokenZip extends Error {
  constructor(
    readonly file: string,
    readonly reason: 'unreadable' | 'large',
  ) {
    super(`${file}: ${reason}`);
  }
}

export const isZip = (name: string): boolean => /\.zip$/i.test(name);

/**
 * Unpacks the definitions in a zip archive. The zip library is loaded on demand.
 *
 * @param isRelevant selects the files to read.
 * @throws BrokenZip if the file is no archive, or has more than 2,000 files or 16 MiB of them.
 */
export async function filesInZip(
  name: string,
  archive: Uint8Array,
  isRelevant: (name: string) => boolean,
): Promise<readonly ReadFile[]> {
  if (archive[0] !== 0x50 || archive[1] !== 0x4b) throw new BrokenZip(name, 'unreadable');
  const { unzipSync } = await import('fflate');
  let [count, bytes] = [0, 0];
  const filter = (file: { name: string; originalSize: number }): boolean => {
    if (!/\.(json|ya?ml)$/i.test(file.name) || !isRelevant(file.name)) return false;
    count += 1;
    bytes += file.originalSize;
    if (count > MAX_FILES || bytes > MAX_BYTES) throw new BrokenZip(name, 'large');
    return true;
  };
  return decodeFiles(unzipped(name, () => unzipSync(archive, { filter })));
}

function unzipped(name: string, unzip: () => Unzipped): Unzipped {
  try {
    return unzip();
  } catch (error) {
    throw error instanceof BrokenZip ? error : new BrokenZip(name, 'unreadable');
  }
}

function decodeFiles(files: Unzipped): readonly ReadFile[] {
  const decoder = new TextDecoder();
  return Object.entries(files)
    .map(([name, content]) => ({ name, text: decoder.decode(content) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
