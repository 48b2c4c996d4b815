import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the packages below an application, for any package manager. Two copies of a package count twice. */
export function installedPackages(application) {
  const found = [];
  const visit = (modules) => {
    if (!existsSync(modules)) return;
    for (const entry of readdirSync(modules)) {
      const path = join(modules, entry);
      // pnpm keeps packages in `.pnpm/<name>@<version>/node_modules`, and links to them.
      if (entry === '.pnpm') for (const one of readdirSync(path)) visit(join(path, one, 'node_modules'));
      else if (entry.startsWith('@')) for (const one of readdirSync(path)) add(join(path, one));
      else if (!entry.startsWith('.')) add(path);
    }
  };
  const add = (path) => {
    if (lstatSync(path).isSymbolicLink() || !existsSync(join(path, 'package.json'))) return;
    found.push(describe(path));
    visit(join(path, 'node_modules'));
  };
  visit(join(application, 'node_modules'));
  return found;
}

function describe(path) {
  const { name, version, license, scripts = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const hasScript = ['preinstall', 'install', 'postinstall'].some((one) => one in scripts);
  return { path, name, version, license, hasScript };
}

/** Returns the exclusive cost of each direct dependency of Lintel: packages that nothing else needs, and their size. */
export function costs(application) {
  const { packages } = JSON.parse(readFileSync(join(application, 'package-lock.json'), 'utf8'));
  const all = reachable(packages, null);
  const { dependencies = {}, peerDependencies = {}, optionalDependencies = {} } = packages['node_modules/lintel'];
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })
    .map((name) => {
      const without = reachable(packages, name);
      const alone = [...all].filter((path) => !without.has(path) && existsSync(join(application, path)));
      const bytes = alone.reduce((sum, path) => sum + sizeOf(realpathSync(join(application, path))), 0);
      return { name, count: alone.length, megabytes: (bytes / 1e6).toFixed(1) };
    })
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.megabytes - one.megabytes);
}

/** Returns the paths of all packages that Lintel needs, except through one direct dependency. */
function reachable(packages, left) {
  const places = new Set();
  const visit = (place, except) => {
    if (places.has(place)) return;
    places.add(place);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = packages[place];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      if (name === except || peerDependenciesMeta[name]?.optional) continue;
      const found = resolve(packages, place, name);
      if (found !== null) visit(found, null);
    }
  };
  visit('node_modules/lintel', left);
  return places;
}

function resolve(packages, from, name) {
  for (let at = from; ; at = at.replace(/(^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (place in packages) return place;
    if (at === '') return null;
  }
}

function sizeOf(path) {
  if (!lstatSync(path).isDirectory()) return lstatSync(path).size;
  const entries = readdirSync(path).filter((entry) => entry !== 'node_modules');
  return entries.reduce((sum, entry) => sum + sizeOf(join(path, entry)), 0);
}
