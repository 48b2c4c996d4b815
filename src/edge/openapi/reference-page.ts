import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of the reference page. */
export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  /** Strong validator of the content (RFC 9110 §8.8.3). */
  readonly tag: string;
}

const FOLDER = fileURLToPath(new URL('./page/', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the reference page: plain files that stand next to this one, in the sources as in the build. */
export function readReferencePage(): ReadonlyMap<string, PageFile> {
  return new Map(
    readdirSync(FOLDER).flatMap((name): [string, PageFile][] => {
      const type = TYPES[extname(name)];
      if (type === undefined) return [];
      const content = readFileSync(join(FOLDER, name));
      return [
        [name, { type, content, tag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` }],
      ];
    }),
  );
}
