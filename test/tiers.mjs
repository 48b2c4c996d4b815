/**
 * Tiers of tests. `npm test` and `.ci/run` run the landing tier; `npm run test:full` and `.ci/run --full` run everything.
 */

/** Specs by tier, as path prefixes. The longest matching prefix decides. The full run includes the landing tier. */
export const SPECS = {
  landing: ['src/', 'dash/src/', 'packages/', 'test/contract/', 'test/e2e/'],
  full: [
    'packages/embedded-postgres/test/backups.spec.ts',
    'packages/embedded-postgres/test/directories.spec.ts',
    'packages/embedded-postgres/test/identities.spec.ts',
    'packages/embedded-postgres/test/standby.spec.ts',
    'packages/embedded-postgres/test/start-and-join.spec.ts',
    'packages/embedded-postgres/test/survival.spec.ts',
    'test/e2e/content/import-crash.spec.ts',
    'test/e2e/content/import-job-crash.spec.ts',
    'test/e2e/docs/contributing.spec.ts',
    'test/e2e/docs/extending.spec.ts',
    'test/e2e/docs/guards.spec.ts',
    'test/e2e/docs/registrations.spec.ts',
    'test/e2e/docs/workers.spec.ts',
    'test/e2e/files/crash.spec.ts',
    'test/e2e/files/resumable-crash.spec.ts',
    'test/e2e/local/indistinguishable.spec.ts',
    'test/e2e/mail/crash.spec.ts',
    'test/e2e/mail/instances.spec.ts',
    'test/e2e/mail/registration-crash.spec.ts',
    'test/e2e/mail/takeover.spec.ts',
    'test/e2e/package/package.spec.ts',
    'test/e2e/process/backup.spec.ts',
    'test/e2e/process/crash.spec.ts',
    'test/e2e/process/roles.spec.ts',
    'test/e2e/process/rotation.spec.ts',
    'test/e2e/process/workers.spec.ts',
    'test/e2e/schema/crash.spec.ts',
    'test/e2e/threats/large-inputs.spec.ts',
    'test/e2e/threats/requested-typed-codes.spec.ts',
    'test/e2e/transfer/commands.spec.ts',
  ],
};

/** Stages of `.ci/run`: of both runs, and of one run only. */
export const STAGES = {
  both: [
    'npm ci',
    'npm run check',
    'npm test, without a database',
    'packages of the system',
    'PostgreSQL 15',
    'npm run build',
    'npm test',
    'npm test, on PostgreSQL',
    'npm start, on the embedded database',
  ],
  landing: ['pages in a browser: main journeys'],
  full: [
    'npm test, behind PgBouncer',
    'npm start, on PostgreSQL',
    'migrations up, down, up',
    'files on S3',
    'a database that fails over and turns read-only',
    'npm start, behind PgBouncer',
    'reads on a replica that lags',
    'from the embedded database to a cluster',
    'a cluster that loses machines',
    'pages in a browser: sign-in and account',
    'pages in a browser: the console',
    'pages in a browser: appearance',
    'pages below a path: strip',
    'pages below a path: pass',
    'types generated from the API',
    'an application from the package',
    'applications of four package managers',
    'applications of four package managers, on Node 22',
    'applications of four package managers, on Node 24',
    'an application from the package, on Node 24',
    'npm start, on Node 24',
    'npm test, sessions and tokens on Node 24',
  ],
};

/** Returns the tier of a spec. The path is relative to the root of the repository. */
export function tierOf(path) {
  const lists = Object.entries(SPECS).flatMap(([tier, paths]) => paths.map((prefix) => ({ tier, prefix })));
  const matching = lists.filter(({ prefix }) => path.startsWith(prefix));
  return matching.sort((one, other) => other.prefix.length - one.prefix.length)[0]?.tier;
}

export function includes(tier, other) {
  return tier === 'full' || tier === other;
}

export function stagesOf(tier) {
  return [...STAGES.both, ...STAGES[tier]];
}
