import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '../..');
const run = promisify(execFile);

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Manifest = LockedPackage & { readonly version: string; readonly overrides: object };

const readJson = <T>(name: string): T => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T;

/** Runs a program in a directory, without what npm tells the programs that it runs. */
export async function runIn(directory: string, program: string, ...args: string[]): Promise<Ended> {
  const { PATH, HOME } = process.env;
  try {
    const options = { cwd: directory, env: { PATH, HOME, NODE_ENV: 'test' }, maxBuffer: 2 ** 26 };
    const { stdout, stderr } = await run(program, args, options);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : 1, output: stdout + stderr };
  }
}

/** Writes files by their names. */
export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

/** Packs the built package into a directory, and returns the name of the tarball. */
async function packInto(directory: string): Promise<string> {
  // It is built already, and others use what was built.
  const { output } = await runIn(ROOT, 'npm', 'pack', '--ignore-scripts', '--pack-destination', directory);
  const name = readdirSync(directory).find((found) => found.endsWith('.tgz'));
  if (name === undefined) throw new Error(`npm pack made nothing:\n${output}`);
  return name;
}

/**
 * Makes an application in a directory outside of the repository that has the tarball, and some packages of ours for
 * development, installed. All versions are those of our lock file, so that npm has everything in its cache.
 */
export async function installPacked(directory: string, devDependencies: readonly string[]): Promise<void> {
  const tarball = await packInto(directory);
  const { version, dependencies, optionalDependencies, peerDependencies, ...manifest } =
    readJson<Manifest>('package.json');
  const { packages } = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');
  const chosen = devDependencies.map((name) => [name, packages[`node_modules/${name}`]!.version!]);
  const application = {
    name: 'acme',
    private: true,
    type: 'module',
    dependencies: { lintel: `file:${tarball}` },
    devDependencies: Object.fromEntries(chosen),
    overrides: manifest.overrides,
  };
  const edges = { dependencies, optionalDependencies, peerDependencies };
  const lintel = { version, resolved: `file:${tarball}`, ...edges, bin: { lintel: 'dist/src/cli.js' } };
  const service = Object.entries(packages).filter(
    ([path, found]) => path.startsWith('node_modules/') && found.dev !== true && found.link !== true,
  );
  const locked = {
    '': application,
    'node_modules/lintel': lintel,
    ...Object.fromEntries(service),
    ...closureOf(devDependencies, packages),
  };
  writeFiles(directory, {
    'package.json': JSON.stringify(application),
    'package-lock.json': JSON.stringify({ name: 'acme', lockfileVersion: 3, requires: true, packages: locked }),
  });
  const { code, output } = await runIn(directory, 'npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund');
  if (code !== 0 || output.includes('EBADENGINE')) throw new Error(output);
}

/** Returns packages of a lock file with all that they need. */
function closureOf(names: readonly string[], packages: Record<string, LockedPackage>): Record<string, LockedPackage> {
  const found: Record<string, LockedPackage> = {};
  const visit = (from: string, name: string): void => {
    const places = [...from.matchAll(/node_modules\//g)].map(({ index }) => from.slice(0, index)).reverse();
    const path = [`${from}/`, ...places, '']
      .map((place) => `${place}node_modules/${name}`)
      .find((one) => one in packages);
    if (path === undefined || path in found) return;
    const entry = (found[path] = packages[path]!);
    const needed = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
    Object.keys(needed).forEach((next) => visit(path, next));
  };
  names.forEach((name) => visit('', name));
  return found;
}
