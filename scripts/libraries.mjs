import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { copyTypes, packageOf, specifierOf } from './library-types.mjs';
import { ROOT } from './run.mjs';

const DIST = join(ROOT, 'dist');
const COMPILED = join(DIST, 'libraries');

/**
 * Libraries that are compiled into the package. As dependencies they would install packages that Lintel never loads (template engines, an
 * install script, 30 MB of OpenAPI tools) or that reject Node 20. See docs/internals/adr/0111-libraries-compiled-into-the-package.md.
 */
export const COMPILED_IN = [
  '@fastify/cookie',
  '@fastify/static',
  '@nestjs-modules/mailer',
  '@nestjs/platform-fastify',
  '@nestjs/swagger',
  'fastify',
];
const SUBPATHS = ['@nestjs/platform-fastify/constants.js'];
const FILES = Object.fromEntries(
  [...COMPILED_IN, ...SUBPATHS].map((name) => [name, name.replace('@', '').replace(/\.js$/, '').replaceAll('/', '-')]),
);
const ENTRIES = join(COMPILED, 'entry-');

/**
 * Compiles the libraries into `dist/libraries` and redirects the compiled imports to the files there. Dependencies of Lintel are not
 * compiled in, so that an application has one copy of each.
 */
export async function compileLibraries() {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const installed = Object.keys({ ...dependencies, ...peerDependencies });
  const isInstalled = (id) => installed.some((name) => id === name || id.startsWith(`${name}/`));
  rmSync(COMPILED, { recursive: true, force: true });
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(FILES).map(([name, file]) => [file, entryOf(name)])),
    cwd: ROOT,
    platform: 'node',
    external: isInstalled,
    plugins: [entries, twoFunctionsOfLodash, leaveOutMissing],
    logLevel: 'silent',
  });
  // Messages of the container and of TypeORM contain class names.
  const { output } = await bundle.write({ dir: COMPILED, format: 'esm', keepNames: true, comments: { jsdoc: false } });
  await bundle.close();
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds).filter((id) => id.includes('node_modules'));
  const packages = [...new Set(modules.map((id) => packageOf(id.replace('\0', ''))))].sort();
  writeFileSync(join(COMPILED, 'LICENSES.txt'), packages.map(licenceOf).join('\n'));
  const types = copyTypes(Object.keys(FILES), isInstalled);
  const targets = {
    '.js': (name) => join(COMPILED, `${FILES[name]}.js`),
    '.ts': (name) => types[name],
  };
  for (const name of readdirSync(join(DIST, 'src'), { recursive: true, encoding: 'utf8' })) {
    const targetOf = targets[/\.(?:js|ts)$/.exec(name)?.[0]];
    if (targetOf !== undefined) importCompiled(join(DIST, 'src', name), targetOf);
  }
}

/** Plugin that keeps missing optional packages external, so that Node resolves them at run time. */
export const leaveOutMissing = {
  name: 'leave-out-missing',
  async resolveId(id, importer, options) {
    if (importer === undefined || /^[./]|^node:/.test(id)) return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    return found ?? { id, external: true };
  },
};

/** Plugin for the bundled program: it uses the installed libraries, so that each exists once. */
export const installedLibraries = {
  name: 'installed-libraries',
  resolveId(id, importer, options) {
    const file = /^\.\.?\/(?:.*\/)?libraries\/([\w-]+)\.js$/.exec(id)?.[1];
    const name = Object.keys(FILES).find((one) => FILES[one] === file);
    return name === undefined ? null : this.resolve(name, importer, { ...options, skipSelf: true });
  },
  load(id) {
    if (id.startsWith(COMPILED)) throw new Error(`${id} would be a second copy of a library in the program.`);
    return null;
  },
};

/** Plugin that exports everything that Node exports of a library. A CommonJS entry would only have a default export. */
const entries = {
  name: 'entries',
  resolveId: (id) => (id.startsWith(ENTRIES) ? id : null),
  async load(id) {
    if (!id.startsWith(ENTRIES)) return null;
    const name = Object.keys(FILES).find((one) => entryOf(one) === id);
    const names = Object.keys(await import(name)).filter((one) => /^[\w$]+$/.test(one) && one !== '__esModule');
    return `export { ${names.join(', ')} } from '${name}';`;
  },
};

function entryOf(name) {
  return `${ENTRIES}${FILES[name]}.mjs`;
}

/** Plugin for the mailer: it uses two functions of lodash, but loads all of it and does not declare it. */
const twoFunctionsOfLodash = {
  name: 'two-functions-of-lodash',
  transform(code, id) {
    if (!/[\\/]mailer[\\/]dist[\\/]mailer\.service\.js$/.test(id)) return null;
    const original = 'require("lodash")';
    if (!code.includes(original) || /lodash_1\.(?!get\b|defaultsDeep\b)/.test(code))
      throw new Error(`${id} uses lodash in another way.`);
    return {
      code: code.replace(original, '{ get: require("lodash/get"), defaultsDeep: require("lodash/defaultsDeep") }'),
    };
  },
};

function importCompiled(file, targetOf) {
  const code = readFileSync(file, 'utf8');
  const changed = code.replaceAll(/(?<=\b(?:from |import\())'([^'.][^']*)'/g, (quoted, name) => {
    if (name in FILES) return `'${specifierOf(file, targetOf(name))}'`;
    if (COMPILED_IN.some((one) => name.startsWith(`${one}/`)))
      throw new Error(`${file} imports ${name}: add it to SUBPATHS in scripts/libraries.mjs.`);
    return quoted;
  });
  if (changed !== code) writeFileSync(file, changed);
}

function licenceOf(directory) {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const file = readdirSync(directory).find((one) => /^licen[cs]e/i.test(one));
  const text = file === undefined ? '' : `\n${readFileSync(join(directory, file), 'utf8').trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}
