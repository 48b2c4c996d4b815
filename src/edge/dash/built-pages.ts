import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** One file under `/dash/assets/`. Its name changes with its content, so it may be kept for ever. */
export interface Asset {
  readonly type: string;
  readonly content: Buffer;
  /** The same packed, where that is worth it; made when it is first asked for. */
  readonly packed: () => Buffer | null;
  /** Strong validator of the content (RFC 9110 §8.8.3), without quotes. */
  readonly tag: string;
}

/** What `vite build` leaves: one page, and the files that it loads. */
export interface BuiltPages {
  readonly index: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
/** Text packs well; images and fonts are packed already. */
const PACKED = new Set(['.css', '.js', '.svg']);
/** What is smaller fits into one packet anyway. */
const LEAST_PACKED_BYTES = 1_024;

/** Reads the built web application once. Null where it was not built. */
export function readBuiltPages(directory: string = builtDirectory()): BuiltPages | null {
  const index = join(directory, 'index.html');
  if (!existsSync(index)) return null;
  const assets = join(directory, 'assets');
  const names = existsSync(assets) ? readdirSync(assets) : [];
  return {
    index: readFileSync(index, 'utf8'),
    assets: new Map(names.flatMap((name) => readAsset(name, join(assets, name)))),
  };
}

/** `dist/dash` of the package, wherever in it this file stands. */
function builtDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json')) && dirname(directory) !== directory)
    directory = dirname(directory);
  return join(directory, 'dist', 'dash');
}

function readAsset(name: string, path: string): [string, Asset][] {
  const extension = extname(name);
  const type = TYPES[extension];
  if (type === undefined) return [];
  const content = readFileSync(path);
  const tag = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  const isPacked = PACKED.has(extension) && content.length >= LEAST_PACKED_BYTES;
  let packed: Buffer | null = null;
  const pack = (): Buffer | null => (isPacked ? (packed ??= gzipSync(content)) : null);
  return [[name, { type, content, packed: pack, tag }]];
}
