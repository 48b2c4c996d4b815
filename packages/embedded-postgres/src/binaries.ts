import { accessSync, chmodSync, constants, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { copyBinaries } from './binaries-copy.js';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';

export interface PostgresBinaries {
  /** Directory of `initdb`, `pg_ctl` and `postgres`. */
  readonly directory: string;
  readonly majorVersion: number;
}

/** Returns the platform in the form of the package names: `linux-x64`, `windows-x64`, … */
export function platformName(platform: string = process.platform, arch: string = process.arch): string {
  return `${platform === 'win32' ? 'windows' : platform}-${arch}`;
}

export function programPath(directory: string, program: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(directory, process.platform === 'win32' ? `${program}.exe` : program);
}

/**
 * Finds the binaries and repairs them: npm packages contain no symlinks, and not always execute permissions. The install script that
 * restores these may have been blocked. If the package is read-only, a copy is used.
 *
 * @param copyRoot the directory for a copy
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
 * Restores missing symlinks of `native/pg-symlinks.json`, and missing execute permissions.
 *
 * @throws the system error if the package is read-only
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
    setExecutable(programPath(join(packageRoot, 'native', 'bin'), program));
  }
}

/** @throws EmbeddedPostgresError `platform_unsupported` */
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

function setExecutable(program: string): void {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    chmodSync(program, 0o755);
  }
}
