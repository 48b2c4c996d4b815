/**
 * Runs the pages in a real browser against the built product: `node test/browser/run.mjs [start of a scenario's name …]`.
 * `--part console` runs one part (PARTS); parts may run in parallel. The part `main` has the main journeys of all parts.
 * `--below strip` and `--below pass` serve below a path, behind an nginx that removes the path or passes it on. Without names, the
 * scenarios of BELOW run.
 * The last line is "browser: N passed, N failed"; the exit code is non-zero after a failure.
 */
import { parseArgs } from 'node:util';
import { setUpOnce } from './support/appearance-fixture.mjs';
import { freeAddress } from './support/service.mjs';
import { World } from './support/world.mjs';
import { accessScenarios } from './access.mjs';
import { accessManyScenarios } from './access-many.mjs';
import { accountFormScenarios } from './account-forms.mjs';
import { accountScenarios } from './account.mjs';
import { blogScenarios } from './blog.mjs';
import { accessRoleScenarios } from './access-roles.mjs';
import { consoleFormScenarios } from './console-forms.mjs';
import { consoleSetupScenarios } from './console-setup.mjs';
import { importPanelScenarios } from './import-panel.mjs';
import { shownOnceScenarios } from './shown-once.mjs';
import { schemaImportScenarios } from './schema-import.mjs';
import { brandingScenarios } from './branding.mjs';
import { dataModelScenarios } from './data-model.mjs';
import { diagramScenarios } from './diagram.mjs';
import { docsScenarios } from './docs.mjs';
import { fileScenarios } from './files.mjs';
import { keyScenarios } from './keys.mjs';
import { languageScenarios } from './languages.mjs';
import { leakScenarios } from './leaks.mjs';
import { accountDeletionScenarios } from './account-deletion.mjs';
import { appearanceScenarios } from './appearance.mjs';
import { missingEtagScenarios } from './missing-etags.mjs';
import { mailScenarios } from './mails.mjs';
import { modeScenarios } from './modes.mjs';
import { modelUndoScenarios } from './model-undo.mjs';
import { nativeScenarios } from './native.mjs';
import { publicPageScenarios } from './public-pages.mjs';
import { recordFileScenarios } from './records-files.mjs';
import { recordAppearanceScenarios } from './records-appearance.mjs';
import { recordShownScenarios } from './records-shown.mjs';
import { focusScenarios } from './focus-visibility.mjs';
import { recordKeyScenarios } from './records-keys.mjs';
import { recoveryScenarios } from './recovery.mjs';
import { recordManyScenarios } from './records-many.mjs';
import { recordScenarios } from './records.mjs';
import { paletteScenarios } from './palette.mjs';
import { userScenarios } from './users.mjs';
import { screenshotScenarios } from './screenshots.mjs';
import { passkeyScenarios } from './passkeys.mjs';
import { secondFactorScenarios } from './second-factors.mjs';
import { serviceScenarios } from './service.mjs';
import { setupScenarios } from './setup.mjs';
import { sharedViewScenarios } from './shared-views.mjs';
import { signInScenarios } from './sign-in.mjs';
import { sessionScenarios } from './sessions.mjs';
import { webAppScenarios } from './web-apps.mjs';
import { accountLifecycleScenarios } from './account-lifecycle.mjs';
import { providerOutageScenarios } from './provider-outage.mjs';
import { report } from '../../scripts/results.mjs';

/** In order. Each part starts with a new service and ends with the leak checks. */
const PARTS = {
  account: [
    // Creates the administrator.
    setupScenarios,
    signInScenarios,
    sessionScenarios,
    publicPageScenarios,
    mailScenarios,
    recoveryScenarios,
    accountScenarios,
    accountFormScenarios,
    keyScenarios,
    secondFactorScenarios,
    shownOnceScenarios,
    passkeyScenarios,
    accountDeletionScenarios,
    languageScenarios,
    accountLifecycleScenarios,
    nativeScenarios,
    webAppScenarios,
    modeScenarios,
    brandingScenarios,
    fileScenarios,
    providerOutageScenarios,
    blogScenarios,
    screenshotScenarios,
    docsScenarios,
  ],
  console: [
    consoleSetupScenarios,
    recordScenarios,
    recordKeyScenarios,
    recordManyScenarios,
    focusScenarios,
    sharedViewScenarios,
    recordFileScenarios,
    importPanelScenarios,
    consoleFormScenarios,
    missingEtagScenarios,
    recordAppearanceScenarios,
    dataModelScenarios,
    modelUndoScenarios,
    schemaImportScenarios,
    recordShownScenarios,
    diagramScenarios,
    accessScenarios,
    accessManyScenarios,
    accessRoleScenarios,
    userScenarios,
    serviceScenarios,
    paletteScenarios,
  ],
  appearance: [appearanceScenarios],
};

/** Name prefixes of the scenarios in the part `main`, the landing tier of `.ci/run`. */
const MAIN = [
  'set-up:',
  'sign-in: by password',
  'sign-in: by a mailed code',
  'sign-in: by a provider',
  'sign-in: tokens are only',
  'session: a reload',
  'session: signing out',
  'mail: registers',
  'mail: the recovery link',
  'account: changes the password',
  'keys: an API key',
  'second factor: an authenticator app',
  'passkey: is added',
  'app: signs in by password',
  'web app: signs in',
  'records: a list is filtered',
  'records: cell edits',
  'records: a form uploads',
  'data model: a schema is written',
  'access: a role is created',
  'palette: opens',
  'leaks:',
];

/** Name prefixes of the scenarios that run below a path: every kind of URL in a page, mail or app. */
const BELOW = [
  'set-up:',
  'sign-in:',
  'session: a reload',
  'session: signing out',
  'mail:',
  'account: links a provider',
  'account: linking sends',
  'app: signs in by password',
  'app: signs in by a provider',
  'app: a sign-in needs',
  'web app: signs in',
  'passkey: is added',
  'public pages: no registration',
  'recovery: the mail',
  'files: uploaded content',
  'records: a list is filtered',
  'records: a form uploads',
  'palette: opens',
  'docs: a token shows',
  'leaks:',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { part: { type: 'string' }, below: { type: 'string' }, write: { type: 'boolean', default: false } },
});
const isMain = values.part === 'main';
const part = values.part === undefined || isMain ? Object.values(PARTS).flat() : PARTS[values.part];
if (![undefined, 'strip', 'pass'].includes(values.below)) throw new Error('--below is strip or pass.');
if (part === undefined) throw new Error(`Unknown part ${values.part}. Use main, ${Object.keys(PARTS).join(', ')}.`);
const SCENARIOS = Object.assign({}, ...part, leakScenarios);
const byDefault = isMain ? MAIN : values.below === undefined ? [] : BELOW;
const meant = positionals.length === 0 ? byDefault : positionals;
const isMeant = (name) => meant.length === 0 || meant.some((beginning) => name.startsWith(beginning));

const started = performance.now();
const world = await World.open(values.below);
let passed = 0;
let failed = 0;
try {
  world.writes = values.write;
  world.main = await startMain();
  const chosen = Object.entries(SCENARIOS).filter(([name]) => isMeant(name));
  // The set-up scenarios come first; others need a service that is set up.
  if (!chosen.some(([name]) => name.startsWith('set-up:'))) await setUpOnce(world);
  for (const [name, scenario] of chosen) await run(name, scenario);
} finally {
  await world.close();
}
console.log(`\n${Math.round((performance.now() - started) / 1_000)} s`);
report('browser', passed, failed);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

/** Starts the service that most scenarios use, with every sign-in method. */
async function startMain() {
  const place = await world.place();
  // Another site, not only another origin: its pages' requests include no cookies of the service.
  world.app = (await freeAddress()).replace('localhost', '127.0.0.1');
  await world.provider.serve([`${place.url}/api/auth/acme/callback`]);
  const env = {
    AUTH: world.auth(),
    AUTH_OTP_ENABLED: 'true',
    AUTH_ENABLE_REFRESH_TOKEN: 'true',
    AUTH_CLI_LOGIN_ENABLED: 'true',
    AUTH_CLI_ALLOWED_REDIRECT_URIS: `${world.app}/`,
    CORS_ORIGINS: world.app,
    APP_NAME: 'Harbour & Sons',
  };
  return world.start(env, place);
}

/** Runs one scenario. A page error also fails it. */
async function run(name, scenario) {
  const begin = performance.now();
  const faults = [];
  try {
    await scenario(world);
  } catch (error) {
    faults.push(error.stack ?? String(error));
    await world.picture(`failed-${name.replace(/\W+/g, '-')}`);
  }
  faults.push(...(await world.closeVisitors()));
  if (faults.length === 0) passed += 1;
  else failed += 1;
  const time = `${Math.round(performance.now() - begin)} ms`;
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${time})`);
  for (const fault of faults) console.log(fault.replace(/^/gm, '     '));
}
