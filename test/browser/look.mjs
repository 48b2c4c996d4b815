import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { lookAt, SIZES } from './support/look.mjs';
import { press, see, seeHeading, signIn, signInByProvider } from './support/pages.mjs';

const ASSETS = fileURLToPath(new URL('../../dist/dash/assets/', import.meta.url));
const MAX_SCRIPT_BYTES = 150 * 1_024;
const TOKEN = 'x'.repeat(43);

/** How to come to each page; what is left open is what is looked at. */
const VIEWS = {
  login: (page, { main }) => page.goto(`${main.url}/dash/login`),
  'login-code': async (page, { main }) => {
    await page.goto(`${main.url}/dash/login`);
    await page.getByRole('tab', { name: /code/i }).click();
  },
  'login-refused': async (page, { main }) => {
    await page.goto(`${main.url}/dash/login#error=email_taken_by_other_method`);
    await press(page, 'Sign in');
    await see(page, 'Enter a password.');
  },
  'login-unasked': async (page, { main }) => {
    await page.goto(`${main.url}/dash/login#code=${TOKEN}`);
    await seeHeading(page, 'Did you start this sign-in?');
  },
  'login-app': async (page, { main }) => {
    const request = { redirect_uri: 'http://127.0.0.1:49152/callback', correlation: 'x', code_challenge: TOKEN };
    const { authorize_url: path } = await main.post('/api/auth/cli/initiate', request);
    await page.goto(main.url + path);
    await seeHeading(page, 'Sign in to an app');
  },
  'login-app-damaged': (page, { main }) => page.goto(`${main.url}/dash/login?cli=damaged`),
  register: async (page, { main }) => {
    await page.goto(`${main.url}/dash/register`);
    await press(page, 'Create account');
    await see(page, 'Enter your e-mail address.');
  },
  'mail-sent': async (page, { main }) => {
    await page.goto(`${main.url}/dash/recover`);
    await page.getByLabel('E-mail', { exact: true }).fill('nobody@example.com');
    await press(page, 'Send mail');
    await seeHeading(page, 'Look into your mailbox');
  },
  account: async (page, world) => {
    await signIn(page, world.main, world.looks);
    await see(page, 'Sessions');
    await see(page, 'This session');
  },
  'account-change-email': async (page, world) => {
    await signIn(page, world.main, world.looks);
    await press(page, 'Change e-mail address');
  },
  'account-of-provider': async (page, world) => {
    world.provider.meet();
    await signInByProvider(page, world.main);
    await see(page, 'This session');
  },
  setup: (page, { main }) => page.goto(`${main.url}/dash/setup`),
  recover: (page, { main }) => page.goto(`${main.url}/dash/recover`),
  'recover-link': (page, { main }) => page.goto(`${main.url}/auth/local/recover?token=${TOKEN}`),
  activate: (page, { main }) => page.goto(`${main.url}/auth/local/activate?token=${TOKEN}`),
  'activate-spent': async (page, { main }) => {
    await page.goto(`${main.url}/auth/local/activate?token=${TOKEN}`);
    await press(page, 'Activate account');
    await see(page, 'This link or code is not good any more.');
  },
  'email-confirm': (page, { main }) => page.goto(`${main.url}/auth/local/email/confirm?token=${TOKEN}`),
  'email-cancel': (page, { main }) => page.goto(`${main.url}/auth/local/email/cancel?token=${TOKEN}`),
  'no-such-page': (page, { main }) => page.goto(`${main.url}/dash/nowhere`),
};

/** Every page in light and dark, wide and narrow. */
export const lookScenarios = {
  'look: every page is kept as a picture, has no serious finding of axe, and fits a small screen': async (world) => {
    world.looks = await world.person(world.main);
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    const faults = [];
    for (const [name, open] of Object.entries(VIEWS)) {
      await page.goto('about:blank');
      await page.setViewportSize(SIZES.wide);
      await open(page, world);
      await page.getByRole('heading', { level: 1 }).waitFor();
      faults.push(...(await lookAt(page, join(world.artifacts, name))).map((fault) => `${name} ${fault}`));
    }
    assert.deepEqual(faults, []);
  },

  'look: the script of the sign-in page stays below 150 KB packed': async (world) => {
    const { page } = await world.visitor();
    const scripts = new Set();
    page.on('request', (request) => request.resourceType() === 'script' && scripts.add(request.url()));
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('link', { name: 'Continue with Acme' }).waitFor();
    const names = [...scripts].map((url) => url.split('/').at(-1));
    const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0);
    console.log(`     ${names.length} files, ${Math.round(bytes / 1_024)} KB`);
    assert.ok(names.length > 0 && bytes < MAX_SCRIPT_BYTES, `${bytes} bytes`);
  },
};
