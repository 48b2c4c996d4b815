/**
 * Layers of the code (docs/architecture.md): imports point down, and enter another folder only through its public files. The rules name
 * groups of folders, never files.
 */

/** From the lowest layer to the highest. */
const FLOORS = [
  ['kernel'],
  ['platform'],
  ['identity'],
  ['sign-in', 'data'],
  ['features', 'edge'],
  ['application'],
  ['bootstrap', 'testing'],
];
/** Folders that may import the entry points of `src`, because they build and start the application. */
const ABOVE_ENTRY_POINTS = 'application|bootstrap|testing';

/**
 * Public files of a folder: the usual Nest file kinds, and `<folder>.public.ts` for plain helpers. The whole data model and the registration
 * framework are public, as the kernel is.
 */
const FRONT_DOOR =
  '(\\.(module|service|port|errors|types|guard|decorators?|entity|variables|public)\\.ts$|^src/(data/model|platform/extension)/)';

/** Plain TypeScript without framework and I/O, and the imports that these folders may have besides themselves. */
const PURE = {
  schema: {
    path: '^src/data/(model|schema/(codes|definition|validate|link|plan|snapshot))/',
    may: ['^src/kernel/', '^src/data/expressions/', '^(node:)?(util|crypto)$'],
  },
  expressions: {
    path: '^src/data/expressions/',
    may: ['^src/kernel/', '^src/data/model/', '(^|/)node_modules/@marcbachmann/cel-js/', '^(node:)?(util|crypto)$'],
  },
  queries: {
    path: '^src/data/content/(request|resolve|plan|render)/',
    may: [
      '^src/kernel/',
      '^src/data/(model|expressions|schema/(snapshot|validate))/',
      '\\.(types|public|errors)\\.ts$',
      '^(node:)?(util|crypto)$',
    ],
  },
  proofs: {
    path: '^src/.+/(pkce|redirect-target)\\.ts$',
    may: ['^src/kernel/', '^(node:)?(util|crypto)$'],
  },
};

/** Libraries that the build compiles into the package (scripts/libraries.mjs). */
const COMPILED_IN = [
  '@fastify/(cookie|static)',
  '@nestjs-modules/mailer',
  '@nestjs/(platform-fastify|swagger)',
  'fastify',
];

/** The command line and the commands of features. */
const COMMANDS =
  '^src/((cli|main)\\.ts$|bootstrap/run(-command)?\\.ts$|application/(app-definition|commands)\\.ts$|(platform|edge)/cli/|features/.+\\.commands\\.ts$)';

const floor = (names) => `^src/(${names.join('|')})/`;
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    {
      name: 'no-cycles-of-folders',
      comment: 'Folders must not depend on each other in a cycle.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    ...FLOORS.slice(0, -1).map((names, at) =>
      rule(
        `${names.join('-and-')}-import-no-higher-floor`,
        'Imports only point to lower layers.',
        { path: floor(names) },
        { path: floor(FLOORS.slice(at + 1).flat()) },
      ),
    ),
    rule(
      'floors-of-one-height-never-meet',
      'Sign-in methods and data do not import each other.',
      { path: '^src/(sign-in|data|features)/' },
      { path: '^src/(sign-in|data|features)/', pathNot: ['^src/$1/', '^src/data/'] },
    ),
    rule(
      'siblings-never-meet',
      'Sign-in methods and features do not import each other.',
      { path: '^src/(sign-in|features)/([^/]+)/' },
      { path: '^src/$1/', pathNot: '^src/$1/$2/' },
    ),
    rule(
      'through-the-front-door',
      'Import only the module, services, ports, types and public helpers of another folder.',
      { path: '^src/([^/]+/[^/]+)/' },
      { path: '^src/(platform|identity|sign-in|data|features|edge)/', pathNot: ['^src/$1/', FRONT_DOOR] },
    ),
    rule(
      'every-file-stands-on-a-floor',
      'Every folder of src must belong to a layer.',
      { path: '^src/' },
      { path: '^src/[^/]+/', pathNot: floor(FLOORS.flat()) },
    ),
    ...Object.entries(PURE).map(([name, { path, may }]) =>
      rule(`pure-${name}`, 'Pure folders import no framework and do no I/O.', { path }, { pathNot: [path, ...may] }),
    ),
    rule('no-cycles', 'In ESM, two decorated classes that import each other crash at start.', {}, { circular: true }),
    rule(
      'kernel-imports-no-framework',
      'The kernel is plain TypeScript: no framework, database or HTTP. The registration framework is src/platform/extension.',
      { path: '^src/kernel/' },
      { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/(lru-cache|unhomoglyph|uuid)/' },
    ),
    rule(
      'connections-hear-errors-from-birth',
      'Only src/platform/database creates connections: a driver client without an error listener ends the process.',
      { path: '^src/', pathNot: '^src/platform/database/' },
      { path: '(^|/)node_modules/pg(-pool)?/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'commands-load-what-they-use',
      'Most commands need little of the application, and loading all of it takes a second.',
      { path: COMMANDS },
      {
        path: '^src/',
        pathNot: [COMMANDS, '^src/kernel/'],
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'what-watches-is-loaded-when-it-is-on',
      'The libraries for metrics and traces are loaded only if they are enabled.',
      { path: '^src/' },
      { path: '(^|/)node_modules/(prom-client|@opentelemetry)/', dynamic: false, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'guards-need-nest-and-jose',
      'The package for other services has one dependency, so that it can be installed next to anything.',
      { path: '^packages/guards/src/' },
      { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/(@nestjs/(common|core)|jose)/' },
    ),
    rule(
      'folders-never-import-the-top',
      'main, cli, app and app.module assemble the folders. A folder gets its application dependencies injected.',
      { path: '^src/[^/]+/', pathNot: `^src/(${ABOVE_ENTRY_POINTS})/` },
      { path: '^src/[^/]+\\.ts$' },
    ),
    rule(
      'packages-stand-alone',
      'A workspace package does not import the product or other packages.',
      { path: '^packages/([^/]+)/', pathNot: '^packages/convert/' },
      { path: '^(src|dash|test|scripts|bench|packages)/', pathNot: '^packages/$1/' },
    ),
    rule(
      'converters-are-pure',
      'Converters read text and return definitions. They use the data model and do no I/O.',
      { path: '^packages/convert/src/' },
      {
        pathNot: [
          '^packages/convert/src/',
          '^src/kernel/',
          '^src/data/(model|schema/validate)/',
          '(^|/)node_modules/js-yaml/',
          '^(node:)?util$',
        ],
      },
    ),
    rule(
      'packages-have-one-door',
      'The product imports only the entry point of a package.',
      { path: '^(src|dash)/' },
      { path: '^packages/([^/]+)/', pathNot: '^packages/([^/]+)/src/\\1\\.ts$' },
    ),
    rule(
      'pages-stand-alone',
      'The web application uses the service only over HTTP.',
      { path: '^dash/' },
      { path: '^(src|test|bench)/' },
    ),
    rule(
      'service-needs-no-development-packages',
      'Production packages are "dependencies", or are compiled in.',
      { path: '^(src|packages/[^/]+/src)/' },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: `(^|/)node_modules/(${COMPILED_IN.join('|')})/`,
      },
    ),
    rule(
      'product-knows-no-tests',
      'The product does not import tests, scripts, benchmarks or pages.',
      { path: '^(src|packages/[^/]+/src)/' },
      { path: '^(test|scripts|bench|dash|packages/[^/]+/test)/' },
    ),
    rule('everything-resolves', 'An unresolved import breaks the build.', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(\\.spec\\.tsx?$|^dist/)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts', '.css'],
    },
  },
};
