import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The web application and the reference page, as `vite build` leaves them, and the files that they load. */
export interface BuiltPages {
  readonly index: string;
  /** The reference page of the API. */
  readonly reference: string;
  /** Folder of the files; the build has put packed ones (`.br`, `.gz`) beside them. */
  readonly directory: string;
  /** Names of the files. They change with their content, so a file may be kept for ever. */
  readonly assets: ReadonlySet<string>;
}

/** Kinds of files that are answered: no map of a source, and nothing packed by its own name. */
const SERVED = /\.(css|js|svg|png|woff2)$/;

/** Looks up the built web application once. Null where it was not built. */
export function readBuiltPages(directory: string = builtDirectory()): BuiltPages | null {
  const [index, reference] = ['index.html', 'reference.html'].map((name) => join(directory, name)) as [string, string];
  if (![index, reference].every((path) => existsSync(path))) return null;
  const assets = join(directory, 'assets');
  const names = existsSync(assets) ? readdirSync(assets) : [];
  return {
    index: readFileSync(index, 'utf8'),
    reference: readFileSync(reference, 'utf8'),
    directory: assets,
    assets: new Set(names.filter((name) => SERVED.test(name))),
  };
}

/** Returns `dist/dash` of the package, wherever in it this file stands. */
function builtDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json')) && dirname(directory) !== directory)
    directory = dirname(directory);
  return join(directory, 'dist', 'dash');
}
