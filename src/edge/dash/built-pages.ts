import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Output of `vite build`: the web application, the reference page, and the files that they load. */
export interface BuiltPages {
  readonly index: string;
  readonly reference: string;
  /** Folder of the files. The build stores compressed copies (`.br`, `.gz`) beside them. */
  readonly directory: string;
  /** File names. They change with the content, so files can be cached without a limit. */
  readonly assets: ReadonlySet<string>;
}

/** Served file types. Source maps and compressed copies are not served by their names. */
const SERVED = /\.(css|js|svg|png|woff2)$/;

/** Reads the built web application once. Null if it was not built. */
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

/** Returns `dist/dash` of the package, independent of the location of this file. */
function builtDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json')) && dirname(directory) !== directory)
    directory = dirname(directory);
  return join(directory, 'dist', 'dash');
}
