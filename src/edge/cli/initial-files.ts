import { AGENTS, DEFINITION, DOCKERFILE, MAIN, NOTES, README, TEST } from './initial-texts.js';

/** Fields that a new application copies from the package description of Lintel. */
export interface PackageDescription {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, unknown>>;
}

export interface NewApplication {
  readonly name: string;
  readonly lintel: PackageDescription;
  /** Version range or address of the package. */
  readonly source: string;
  readonly variables: string;
}

/** Returns the files of a small application by path: a route, a schema with a hook, a permission, a test. */
export function initialFiles({ name, lintel, source, variables }: NewApplication): Record<string, string> {
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
  // The version that Nest 12 requires refuses Node 20. npm reads `overrides`, pnpm and yarn read `resolutions`.
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
