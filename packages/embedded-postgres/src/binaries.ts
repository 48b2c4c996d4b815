import { accessSync, chmodSync, constants, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { copyBinaries } from './binaries-copy.js';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';

/** The PostgreSQL programs of this machine. */
export interface PostgresBinaries {
  /** the folder of `initdb`, `pg_ctl` and `postgres` */
  readonly directory: string;
  readonly majorVersion: number;
}

/** Returns the kind of machine, as the packages of binaries name it: `linux-x64`, `windows-x64`, … */
export function platformName(platform: string = process.platform, arch: string = process.arch): string {
  return `${platform === 'win32' ? 'windows' : platform}-${arch}`;
}

/** Returns the full path of one of the programs. */
export function programPath(directory: string, program: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(directory, process.platform === 'win32' ? `${program}.exe` : program);
}

/**
 * Finds the binaries and makes them usable: npm packages hold neither symlinks nor, everywhere, execute bits, and the
 * install script that repairs this may have been blocked. If the package may not be written, a copy of it is used.
 *
 * @param copyRoot the folder in which a copy may be made
 * @throws EmbeddedPostgresError `platform_unsupported`
 */
export function locateBinaries(copyRoot: string, platform: string = platformName()): PostgresBinaries {
  const packageRoot = findPackage(platform);
  const version = versionOf(packageRoot);
  const majorVersion = Number.parseInt(version, 10);
  try {
    completeBinaries(packageRoot);
    return { directory: join(packageRoot, 'native', 'bin'), majorVersion };
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(errnoOf(error) ?? '')) throw error;
  }
  const copy = join(copyRoot, `binaries-${version}`);
  copyBinaries(packageRoot, copy, completeBinaries);
  return { directory: join(copy, 'native', 'bin'), majorVersion };
}

/**
 * Recreates the symlinks that `native/pg-symlinks.json` lists and the execute bits, where they are missing.
 *
 * @throws the system's error where the package may not be written
 */
export function completeBinaries(packageRoot: string): void {
  for (const { source, target } of listSymlinks(packageRoot)) {
    const link = join(packageRoot, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(link), join(packageRoot, source)), link);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
  for (const program of ['initdb', 'pg_ctl', 'postgres'] as const) {
    makeExecutable(programPath(join(packageRoot, 'native', 'bin'), program));
  }
}

/** Returns the major version of the binaries. @throws EmbeddedPostgresError `platform_unsupported` */
export function majorVersionOfBinaries(): number {
  return Number.parseInt(versionOf(findPackage(platformName())), 10);
}

function versionOf(packageRoot: string): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
}

function findPackage(platform: string): string {
  const name = `@embedded-postgres/${platform}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new EmbeddedPostgresError(
      'platform_unsupported',
      `there is no embedded PostgreSQL for ${platform}: the package ${name} is not installed`,
      { cause: error },
    );
  }
}

function listSymlinks(packageRoot: string): { source: string; target: string }[] {
  try {
    return JSON.parse(readFileSync(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8')) as ReturnType<
      typeof listSymlinks
    >;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function makeExecutable(program: string): void {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    chmodSync(program, 0o755);
  }
}
