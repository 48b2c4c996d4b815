import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type CommandContext, CommandError, print } from '../../platform/cli/cli.public.js';
import { AGENTS, DEFINITION, DOCKERFILE, MAIN, NOTES, README, TEST } from './initial-texts.js';

interface Options {
  readonly package?: string;
  readonly json?: boolean;
}

/** Defines `init`, only in the command line of the service. */
export function addInitCommands(program: Command, { application }: CommandContext): void {
  if (!application.isService) return;
  program
    .command('init')
    .description('create a small application with a test')
    .argument('<directory>', 'new directory; its name becomes the name of the application')
    .option(
      '--package <spec>',
      'version range or address of Lintel, such as file:../lintel.tgz; default: the version of this command',
    )
    .option('--json', 'print JSON')
    .action(init);
}

function init(directory: string, { json, package: source }: Options): void {
  const target = resolve(directory);
  const name = basename(target);
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name))
    throw new CommandError(
      `${name} is not a valid package name. Use lower-case letters, digits, dots, hyphens and underscores.`,
    );
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new CommandError(`${directory} already exists and is not empty. Specify a new directory.`);
  const manifest = createRequire(import.meta.url).resolve('lintel/package.json');
  const lintel = JSON.parse(readFileSync(manifest, 'utf8')) as PackageDescription;
  const variables = readFileSync(join(dirname(manifest), '.env.example'), 'utf8');
  const files = initialFiles({ name, lintel, source: source ?? `^${lintel.version}`, variables });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  const next = ['', `  cd ${directory}`, '  npm install', '  npm test', '  npm start', ''].join('\n');
  print(json, { directory: target, files: Object.keys(files) }, `${name} was created.\n${next}`);
}

/** Fields that a new application copies from the package description of Lintel. */
interface PackageDescription {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, unknown>>;
}

interface NewApplication {
  readonly name: string;
  readonly lintel: PackageDescription;
  /** Version range or address of the package. */
  readonly source: string;
  readonly variables: string;
}

/** Returns the files of a small application by path: a route, a schema with a hook, a permission, a test. */
function initialFiles({ name, lintel, source, variables }: NewApplication): Record<string, string> {
  return {
    'package.json': json(describe(name, lintel, source)),
    'tsconfig.json': json({ compilerOptions: COMPILER, include: ['src'] }),
    '.gitignore': 'node_modules/\ndist/\ndata/\n.env\n',
    '.dockerignore': 'node_modules\ndist\ndata\n.env\n.git\n',
    '.env.example': variables,
    // Yarn 4 would keep packages in archives, from which no program can be started. PostgreSQL is such a program.
    '.yarnrc.yml': 'nodeLinker: node-modules\n',
    'AGENTS.md': AGENTS,
    Dockerfile: DOCKERFILE.replaceAll('NAME', name),
    'README.md': README.replaceAll('NAME', name),
    'schemas/note.json': json(NOTE),
    'src/main.ts': MAIN,
    'src/definition.ts': DEFINITION,
    'src/notes.module.ts': NOTES,
    'src/notes.test.ts': TEST,
  };
}

function describe(name: string, lintel: PackageDescription, source: string): object {
  const { '@types/node': types = '', typescript = '' } = lintel.devDependencies;
  const isRequired = (peer: string): boolean => lintel.peerDependenciesMeta[peer]?.optional !== true;
  const peers = Object.entries(lintel.peerDependencies).filter(([peer]) => isRequired(peer));
  const dependencies = [...peers, ['lintel', source] as const].sort(([one], [other]) => (one < other ? -1 : 1));
  // The version that Nest 12 requires does not support Node 20. npm reads `overrides`, pnpm and yarn read `resolutions`.
  const versions = { 'file-type': lintel.overrides['file-type'] };
  const scripts = Object.keys(lintel.optionalDependencies).map((one): [string, boolean] => [one, false]);
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: lintel.engines,
    scripts: {
      build: 'tsc',
      start: 'tsc && node dist/main.js',
      // Without arguments, so that no shell has to expand a pattern.
      test: 'tsc && cd dist && node --test',
    },
    dependencies: Object.fromEntries(dependencies),
    devDependencies: { '@types/node': types, typescript },
    overrides: versions,
    resolutions: versions,
    // The install scripts of these packages are not needed, because the first start does their work.
    allowScripts: Object.fromEntries(scripts),
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const COMPILER = {
  target: 'ES2023',
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
  types: ['node'],
  rootDir: 'src',
  outDir: 'dist',
};

const NOTE = {
  name: 'note',
  namespace: 'notes',
  label_field: 'title',
  fields: [{ type: 'string', name: 'title' }],
};
