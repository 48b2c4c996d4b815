/**
 * The floors of the house (docs/architecture.md): imports point down, and into another folder through its front door alone.
 * The rules name groups of folders, never files.
 */

/** From the ground up. */
const FLOORS = [
  ['kernel'],
  ['platform'],
  ['identity'],
  ['sign-in', 'data'],
  ['features', 'edge'],
  ['application'],
  ['bootstrap', 'testing'],
];
/** Folders that may import the entry points of `src`: they build the application and start it. */
const ABOVE_ENTRY_POINTS = 'application|bootstrap|testing';

/**
 * Kinds of files that a folder shows to the others, which other Nest developers look for, and `<folder>.public.ts` for plain helpers.
 * The model of data is words, as the kernel is.
 */
const FRONT_DOOR =
  '(\\.(module|service|port|errors|types|guard|decorators?|entity|variables|public)\\.ts$|^src/data/model/)';

/** The middle is plain TypeScript: no framework, no I/O. What these places may import, beside themselves. */
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
    path: '^src/.+/(pkce|code-challenge|redirect-target)\\.ts$',
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

/** The command line, and the commands of features. */
const COMMANDS =
  '^src/((cli|main)\\.ts$|bootstrap/run(-command)?\\.ts$|application/(app-definition|commands)\\.ts$|(platform|edge)/cli/|features/.+\\.commands\\.ts$)';

const floor = (names) => `^src/(${names.join('|')})/`;
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    {
      name: 'no-cycles-of-folders',
      comment: 'A folder that needs another one is not needed by it.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    ...FLOORS.slice(0, -1).map((names, at) =>
      rule(
        `${names.join('-and-')}-import-no-higher-floor`,
        'Imports point down, answers come back up.',
        { path: floor(names) },
        { path: floor(FLOORS.slice(at + 1).flat()) },
      ),
    ),
    rule(
      'floors-of-one-height-never-meet',
      'Ways to sign in know no data, and data knows no way to sign in.',
      { path: '^src/(sign-in|data|features)/' },
      { path: '^src/(sign-in|data|features)/', pathNot: ['^src/$1/', '^src/data/'] },
    ),
    rule(
      'siblings-never-meet',
      'The ways to sign in, and features, never import each other.',
      { path: '^src/(sign-in|features)/([^/]+)/' },
      { path: '^src/$1/', pathNot: '^src/$1/$2/' },
    ),
    rule(
      'through-the-front-door',
      'Into another folder through its module, services, ports, types and public helpers.',
      { path: '^src/([^/]+/[^/]+)/' },
      { path: '^src/(platform|identity|sign-in|data|features|edge)/', pathNot: ['^src/$1/', FRONT_DOOR] },
    ),
    rule(
      'every-file-stands-on-a-floor',
      'A new folder of src stands on one of the floors.',
      { path: '^src/' },
      { path: '^src/[^/]+/', pathNot: floor(FLOORS.flat()) },
    ),
    ...Object.entries(PURE).map(([name, { path, may }]) =>
      rule(`pure-${name}`, 'The middle imports no framework and does no I/O.', { path }, { pathNot: [path, ...may] }),
    ),
    rule('no-cycles', 'Under ESM two decorated classes that import each other crash at start.', {}, { circular: true }),
    rule(
      'kernel-is-words',
      'The ground floor knows no database and no HTTP.',
      { path: '^src/kernel/' },
      { path: '(^|/)node_modules/(typeorm|pg|fastify|@fastify|passport|nodemailer)' },
    ),
    rule(
      'connections-hear-errors-from-birth',
      'A client of the driver without an error listener ends the process: connections are made by src/platform/database.',
      { path: '^src/', pathNot: '^src/platform/database/' },
      { path: '(^|/)node_modules/pg(-pool)?/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'commands-load-what-they-use',
      'Most of what a command line is asked needs little of the application, and to load all of it takes a second.',
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
      'Where nobody reads metrics or traces, their libraries are not loaded.',
      { path: '^src/' },
      { path: '(^|/)node_modules/(prom-client|@opentelemetry)/', dynamic: false, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'guards-need-nest-and-jose',
      'The package for other services has one dependency, so that it can be installed beside anything.',
      { path: '^packages/guards/src/' },
      { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/(@nestjs/(common|core)|jose)/' },
    ),
    rule(
      'folders-never-import-the-top',
      'main, cli, app and app.module put the folders together; what a folder needs of an application it is given.',
      { path: '^src/[^/]+/', pathNot: `^src/(${ABOVE_ENTRY_POINTS})/` },
      { path: '^src/[^/]+\\.ts$' },
    ),
    rule(
      'packages-stand-alone',
      'A package of this house knows nothing of the product, nor of the others.',
      { path: '^packages/([^/]+)/', pathNot: '^packages/convert/' },
      { path: '^(src|dash|test|scripts|bench|packages)/', pathNot: '^packages/$1/' },
    ),
    rule(
      'converters-are-pure',
      'Converters read text and return definitions: they know the model of data, and do no I/O.',
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
      'The product uses what a package exports.',
      { path: '^(src|dash)/' },
      { path: '^packages/([^/]+)/', pathNot: '^packages/([^/]+)/src/\\1\\.ts$' },
    ),
    rule(
      'pages-stand-alone',
      'The web application speaks to the service over HTTP only.',
      { path: '^dash/' },
      { path: '^(src|test|bench)/' },
    ),
    rule(
      'service-needs-no-development-packages',
      'Packages that run in production are "dependencies", or are compiled in.',
      { path: '^(src|packages/[^/]+/src)/' },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: `(^|/)node_modules/(${COMPILED_IN.join('|')})/`,
      },
    ),
    rule(
      'product-knows-no-tests',
      'Nothing of the product imports tests, scripts, benchmarks or pages.',
      { path: '^(src|packages/[^/]+/src)/' },
      { path: '^(test|scripts|bench|dash|packages/[^/]+/test)/' },
    ),
    rule('everything-resolves', 'An import that leads nowhere breaks the build.', {}, { couldNotResolve: true }),
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
