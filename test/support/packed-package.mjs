import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const readJson = (name) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

/** Runs a program in a directory, without the variables that npm sets for its scripts. */
export async function runIn(directory, program, ...args) {
  // NODE_EXTRA_CA_CERTS: certificates of a registry behind a proxy.
  const { PATH, HOME, NODE_EXTRA_CA_CERTS = '' } = process.env;
  try {
    const options = { cwd: directory, env: { PATH, HOME, NODE_EXTRA_CA_CERTS, NODE_ENV: 'test' }, maxBuffer: 2 ** 26 };
    const { stdout, stderr } = await run(program, args, options);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error;
    return { code: typeof code === 'number' ? code : 1, output: stdout + stderr };
  }
}

export function writeFiles(directory, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

/**
 * Installs an application outside the repository, with the tarball as `lintel`. Versions come from the lock file, so that npm finds
 * everything in its cache. A version that the application does not accept is an error.
 *
 * @param applicationOrPackages the package.json of the application, or the development dependencies of an empty one.
 */
export async function installPacked(directory, applicationOrPackages) {
  const description = Array.isArray(applicationOrPackages)
    ? emptyApplication(applicationOrPackages)
    : applicationOrPackages;
  const tarball = await packInto(directory);
  const { version, overrides, ...own } = readJson('package.json');
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = own;
  const packages = packagesByName(readJson('package-lock.json').packages);
  const application = {
    ...description,
    dependencies: { ...description.dependencies, lintel: `file:${tarball}` },
    overrides,
  };
  const edges = { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta };
  const lintel = { version, resolved: `file:${tarball}`, ...edges, bin: { lintel: 'dist/src/cli.js' } };
  const service = Object.entries(packages).filter(([, found]) => found.dev !== true && found.link !== true);
  const wanted = Object.keys({ ...application.dependencies, ...application.devDependencies });
  const locked = {
    '': application,
    'node_modules/lintel': lintel,
    ...Object.fromEntries(service),
    ...closureOf(
      wanted.filter((name) => name !== 'lintel'),
      packages,
    ),
  };
  const lock = { name: application.name, lockfileVersion: 3, requires: true, packages: locked };
  writeFiles(directory, {
    'package.json': JSON.stringify(application),
    'package-lock.json': JSON.stringify(lock),
  });
  const { code, output } = await runIn(directory, 'npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund');
  if (code !== 0 || output.includes('EBADENGINE')) throw new Error(output);
}

function emptyApplication(packages) {
  const { packages: locked } = readJson('package-lock.json');
  const versions = packages.map((name) => [name, locked[`node_modules/${name}`].version]);
  return { name: 'acme', private: true, type: 'module', devDependencies: Object.fromEntries(versions) };
}

export async function packInto(directory) {
  // Without scripts: the package is already built, and other tests use the build.
  const { output } = await runIn(ROOT, 'npm', 'pack', '--ignore-scripts', '--pack-destination', directory);
  const name = readdirSync(directory).find((found) => found.endsWith('.tgz'));
  if (name === undefined) throw new Error(`npm pack made nothing:\n${output}`);
  return name;
}

/** Returns the packages of a lock file by real name instead of alias. */
function packagesByName(packages) {
  const places = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'));
  return Object.fromEntries(
    places.map(([path, { name, ...found }]) => {
      const isAlias = name !== undefined && path === 'node_modules/nest-on-express';
      return isAlias ? [`node_modules/${name}`, found] : [path, name === undefined ? found : { name, ...found }];
    }),
  );
}

function closureOf(names, packages) {
  const found = {};
  const visit = (from, name) => {
    const places = [...from.matchAll(/node_modules\//g)].map(({ index }) => from.slice(0, index)).reverse();
    const path = [`${from}/`, ...places, '']
      .map((place) => `${place}node_modules/${name}`)
      .find((one) => one in packages);
    if (path === undefined || path in found) return;
    const entry = (found[path] = packages[path]);
    const needed = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
    Object.keys(needed).forEach((next) => visit(path, next));
  };
  names.forEach((name) => visit('', name));
  return found;
}
