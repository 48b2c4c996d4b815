/**
 * The floors of the house (docs/architecture.md): a folder imports only from floors below it, through the front door.
 * The tables below are the rules; everything after them only spells them out for dependency-cruiser.
 */

/** From the ground up. Folders of one entry may import each other as long as no cycle comes of it, unless SIBLINGS says otherwise. */
const FLOORS = [
  ['kernel'],
  ['config', 'database', 'http'],
  ['mail', 'secrets', 'users'],
  ['auth', 'registration-policy'],
  ['local', 'otp', 'social', 'cli-login', 'schema', 'content', 'files', 'realtime'],
  ['openapi', 'health', 'dash', 'setup', 'plugins', 'cli'],
];

/** The ways in meet only through `auth`, `registration-policy` and `app.module.ts`. */
const SIBLINGS = ['local', 'otp', 'social', 'cli-login'];

/** What every folder shows to the others. */
const FRONT_DOOR = '\\.(module|service|port|errors|types|guard|decorators?|entity)\\.ts$';

/** Plain helpers and tables that are shared by design, beside the front door. `*` opens a folder. */
const SHARED = {
  kernel: ['*'],
  config: ['load-config', 'parse-config', 'documentation'],
  database: [
    'change-feed',
    'data-source',
    'database-connection',
    'database-faults',
    'migrator',
    'prepared',
    'text-query',
  ],
  http: [
    'client-address',
    'configure-http',
    'error-mapping',
    'fastify-options',
    'field-check',
    'logger',
    'negotiation',
  ],
  users: [
    'built-in-roles',
    'change-topics',
    'email-field',
    'password-rules',
    'permission-faults',
    'role-file',
    'role-seeder',
    'username',
  ],
  auth: ['client-context', 'permission-rules', 'role-directory', 'route-access.inspector'],
  schema: [
    'model/[^/]+',
    'snapshot/[^/]+',
    'expressions/[^/]+',
    'validate/check-value',
    'definition/definition-json-schema',
  ],
  content: ['request/content-limits', 'resolve/rule-fault'],
  dash: ['page-policy'],
};

/** The middle is plain TypeScript: no framework, no I/O. What these places may import, beside themselves. */
const PURE = [
  {
    name: 'schema',
    path: '^src/schema/(model|codes|definition|validate|link|plan|snapshot)/',
    may: ['^src/kernel/', '^src/schema/expressions/', '^(node:)?(util|crypto)$'],
  },
  {
    name: 'expressions',
    path: '^src/schema/expressions/',
    may: [
      '^src/kernel/',
      '^src/schema/(model|codes)/',
      '(^|/)node_modules/@marcbachmann/cel-js/',
      '^(node:)?(util|crypto)$',
    ],
  },
  {
    name: 'query-compiler',
    path: '^src/content/(request|resolve|plan|render)/',
    may: [
      '^src/kernel/',
      '^src/auth/permission-rules\\.ts$',
      '^src/schema/(model|snapshot|expressions|validate)/',
      '\\.types\\.ts$',
      '^(node:)?(util|crypto)$',
    ],
  },
  {
    name: 'registration-policy',
    path: '^src/registration-policy/registration-policy\\.ts$',
    may: ['^src/kernel/', '\\.types\\.ts$'],
  },
  {
    name: 'proofs',
    path: '^src/.+/(pkce|code-challenge|redirect-target)\\.ts$',
    may: ['^src/kernel/', '^(node:)?(util|crypto)$'],
  },
];

const exactly = (names) => `^src/(${names.join('|')})/`;

const pureRules = PURE.map(({ name, path, may }) => ({
  name: `pure-${name}`,
  comment: 'The middle imports no framework and does no I/O.',
  severity: 'error',
  from: { path },
  to: { pathNot: [path, ...may] },
}));

const floorRules = FLOORS.slice(0, -1).map((folders, floor) => ({
  name: `floor-${floor}-imports-no-higher-floor`,
  comment: `${folders.join(', ')}: imports point down, answers come back up.`,
  severity: 'error',
  from: { path: exactly(folders) },
  to: { path: exactly(FLOORS.slice(floor + 1).flat()) },
}));

const frontDoorRules = FLOORS.flat()
  .filter((folder) => !SHARED[folder]?.includes('*'))
  .map((folder) => ({
    name: `front-door-of-${folder}`,
    comment: `Other folders see only ${FRONT_DOOR} of src/${folder}, and what SHARED lists.`,
    severity: 'error',
    from: { path: '^src/[^/]+/', pathNot: exactly([folder]) },
    to: {
      path: exactly([folder]),
      pathNot: [FRONT_DOOR, ...(SHARED[folder] ?? []).map((name) => `^src/${folder}/${name}\\.ts$`)],
    },
  }));

module.exports = {
  forbidden: [
    ...floorRules,
    ...frontDoorRules,
    ...pureRules,
    {
      name: 'every-folder-has-a-floor',
      comment: 'A new folder of src is entered in FLOORS.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/[^/]+/', pathNot: exactly(FLOORS.flat()) },
    },
    {
      name: 'siblings-never-meet',
      comment: 'The ways in never import each other.',
      severity: 'error',
      from: { path: `^src/(${SIBLINGS.join('|')})/` },
      to: { path: `^src/(${SIBLINGS.join('|')})/`, pathNot: '^src/$1/' },
    },
    {
      name: 'no-cycles',
      comment: 'Under ESM two decorated classes that import each other crash at start.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'kernel-is-words',
      comment: 'The kernel knows no database and no HTTP.',
      severity: 'error',
      from: { path: '^src/kernel/' },
      to: { path: '(^|/)node_modules/(typeorm|pg|fastify|@fastify|passport|nodemailer)' },
    },
    {
      name: 'connections-hear-errors-from-birth',
      comment:
        'A client of the driver without an error listener ends the process: connections are made by src/database.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/' },
      to: { path: '(^|/)node_modules/pg(-pool)?/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'folders-never-import-the-top',
      comment:
        'main, cli, app and app.module put the folders together; only the command line starts an application itself.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/cli/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'pages-stand-alone',
      comment: 'The web application speaks to the service over HTTP only.',
      severity: 'error',
      from: { path: '^dash/' },
      to: { path: '^(src|test|bench)/' },
    },
    {
      name: 'service-needs-no-development-packages',
      comment: 'What runs in production stands under "dependencies".',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'product-knows-no-tests',
      comment: 'Nothing of the product imports tests, scripts, benchmarks or pages.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts|bench|dash)/' },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
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
