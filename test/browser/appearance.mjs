import assert from 'node:assert/strict';
import { join } from 'node:path';
import { faintFocus } from './support/focus.mjs';
import { keyViews } from './keys.mjs';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { invitationLink, makeLetters, prepare, recoveryLink, ROOT } from './support/appearance-fixture.mjs';
import { press, see, seeHeading, signIn, signInByProvider } from './support/pages.mjs';
import { scriptsOf } from './support/script-size.mjs';

const MAX_SCRIPT_BYTES = 150 * 1_024;
const TOKEN = 'x'.repeat(43);

const VIEWS = {
  login: (page, { main }) => page.goto(`${main.url}/dash/login`),
  'login-code': async (page, { main }) => {
    await page.goto(`${main.url}/dash/login`);
    await page.getByRole('tab', { name: /code/i }).click();
  },
  'login-code-sent': async (page, { main }) => {
    await page.goto(`${main.url}/dash/login`);
    await page.getByRole('tab', { name: /code/i }).click();
    await page.getByLabel('E-mail', { exact: true }).fill('nobody@example.com');
    await press(page, 'Send code');
    await see(page, 'Send another code');
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
  'login-app-continue': async (page, world) => {
    await signIn(page, world.main, world.viewer);
    const request = { redirect_uri: `${world.app}/`, state: 'x', code_challenge: TOKEN, code_challenge_method: 'S256' };
    await page.goto(`${world.main.url}/api/auth/authorize?${new URLSearchParams(request)}`);
    await page.getByRole('button', { name: /^Continue as/ }).waitFor();
  },
  'login-app-damaged': (page, { main }) => page.goto(`${main.url}/dash/login?cli=damaged`),
  'login-link-refused': async (page, { main }) => {
    const query = `state=x&code_challenge=${TOKEN}&code_challenge_method=S256`;
    await page.goto(`${main.url}/api/auth/authorize?redirect_uri=https://evil.example/&${query}`);
    await seeHeading(page, 'This sign-in link does not work');
  },
  register: async (page, { main }) => {
    await page.goto(`${main.url}/dash/register`);
    await press(page, 'Create account');
    await see(page, 'Enter your e-mail address.');
  },
  'mail-sent': async (page, { main }) => {
    await page.goto(`${main.url}/dash/recover`);
    await page.getByLabel('E-mail', { exact: true }).fill('nobody@example.com');
    await press(page, 'Send e-mail');
    await seeHeading(page, 'Check your e-mail');
  },
  account: async (page, world) => {
    await signIn(page, world.main, world.viewer);
    await see(page, 'Sessions');
    await see(page, 'This session');
  },
  'account-change-email': async (page, world) => {
    await signIn(page, world.main, world.viewer);
    await press(page, 'Change e-mail address');
  },
  'account-change-name': async (page, world) => {
    await signIn(page, world.main, world.viewer);
    await press(page, 'Change name, user name or language');
    await page.getByLabel('User name (optional)').fill('not@allowed.example');
    await press(page, 'Save');
    await page.locator('[aria-invalid="true"]').waitFor();
  },
  'account-change-password': async (page, world) => {
    await signIn(page, world.main, world.viewer);
    await press(page, 'Change password');
    await page.getByLabel('New password', { exact: true }).fill('violet lantern over 9 docks');
    await page.getByRole('status').filter({ hasText: 'Strong' }).waitFor();
  },
  'account-change-password-weak': async (page, world) => {
    await signIn(page, world.main, world.viewer);
    await press(page, 'Change password');
    await page.getByLabel('New password', { exact: true }).fill('sunshine');
    await page.getByRole('status').filter({ hasText: 'Too common' }).waitFor();
    await page.getByLabel('Repeat new password', { exact: true }).fill('sunrise');
    await page.keyboard.press('Enter');
    await see(page, 'The passwords do not match.');
  },
  ...keyViews,
  'account-delete': async (page, world) => {
    await makeLetters(world);
    await signIn(page, world.main, world.viewer);
    await press(page, 'Delete your account');
    await see(page, 'Deleted records: 1 of letter.');
    await page.getByLabel(/^Type .* to confirm$/).fill('somebody else');
    await page.keyboard.press('Enter');
    await see(page, 'Enter your current password.');
  },
  model: async (page, world) => {
    await signIn(page, world.main, ROOT);
    await page.goto(`${world.main.url}/dash/model`);
    await see(page, 'Version 1');
  },
  'model-schema': async (page, world) => {
    await signIn(page, world.main, ROOT);
    await page.goto(`${world.main.url}/dash/model/letter`);
    await page.locator('.cm-content').waitFor();
  },
  'model-faults': async (page, world) => {
    await signIn(page, world.main, ROOT);
    await page.goto(`${world.main.url}/dash/model/letter`);
    await page.getByLabel('Type').first().selectOption('relation');
    await page.getByRole('tab', { name: /^[1-9].* error/ }).click();
  },
  'model-plan': async (page, world) => {
    await signIn(page, world.main, ROOT);
    await page.goto(`${world.main.url}/dash/model/letter`);
    await press(page, 'Remove letter…');
    await see(page, 'This change loses data.');
  },
  'account-delete-last-administrator': async (page, world) => {
    await signIn(page, world.main, ROOT);
    await page.goto(`${world.main.url}/dash/account`);
    await press(page, 'Delete your account');
    await see(page, 'You are the last administrator.');
  },
  'account-download': async (page, world) => {
    await signIn(page, world.main, world.viewer);
    await press(page, 'Download your data');
    await see(page, 'The file is in your downloads');
  },
  invitation: async (page, world) => {
    await page.goto(await invitationLink(world));
    await page.getByLabel('Password', { exact: true }).fill('sunshine');
    await press(page, 'Accept the invitation');
    await see(page, 'Enter the password again.');
  },
  'invitation-spent': async (page, { main }) => {
    await page.goto(`${main.url}/dash/invitation?token=${TOKEN}`);
    await see(page, 'This invitation is no longer valid');
  },
  'login-not-set-up': async (page, { unused }) => {
    await page.goto(`${unused.url}/dash/login`);
    await see(page, 'The first administrator does not exist yet.');
  },
  'account-of-provider': async (page, world) => {
    world.provider.meet();
    await signInByProvider(page, world.main);
    await see(page, 'This session');
  },
  setup: async (page, { unused }) => {
    await page.goto(unused.setupAddress);
    await page.getByLabel('Setup token').waitFor();
  },
  'setup-past': async (page, { main }) => {
    await page.goto(`${main.url}/dash/setup`);
    await seeHeading(page, 'Setup is complete');
  },
  'recover-code': async (page, { unused }) => {
    await page.goto(`${unused.url}/dash/recover`);
    await page.getByLabel('E-mail', { exact: true }).fill('nobody@example.com');
    await press(page, 'Send e-mail');
    await seeHeading(page, 'Enter the code');
  },
  recover: (page, { main }) => page.goto(`${main.url}/dash/recover`),
  'recover-link': async (page, world) => {
    await page.goto(await recoveryLink(world));
    await page.getByLabel('New password', { exact: true }).waitFor();
  },
  'recover-link-spent': async (page, { main }) => {
    await page.goto(`${main.url}/auth/local/recover?token=${TOKEN}`);
    await see(page, 'This link or code is no longer valid.');
  },
  activate: (page, { main }) => page.goto(`${main.url}/auth/local/activate?token=${TOKEN}`),
  'activate-spent': async (page, { main }) => {
    await page.goto(`${main.url}/auth/local/activate?token=${TOKEN}`);
    await press(page, 'Activate account');
    await see(page, 'This link or code is no longer valid.');
  },
  'email-confirm': (page, { main }) => page.goto(`${main.url}/auth/local/email/confirm?token=${TOKEN}`),
  'email-cancel': (page, { main }) => page.goto(`${main.url}/auth/local/email/cancel?token=${TOKEN}`),
  'no-such-page': (page, { main }) => page.goto(`${main.url}/nowhere`),
};

const FOCUSED = ['login', 'login-code', 'register', 'recover', 'recover-link', 'mail-sent'].concat([
  'account-change-email',
  'account-change-name',
  'account-change-password',
  'account-keys-replace',
  'service-accounts',
  'account-delete',
  'invitation',
]);

export const appearanceScenarios = {
  'appearance: every page is screenshotted, passes axe and fits a small screen': async (world) => {
    await prepare(world);
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    const faults = [];
    for (const [name, open] of Object.entries(VIEWS)) {
      await page.goto('about:blank');
      await page.context().clearCookies();
      await page.setViewportSize(SIZES.wide);
      await open(page, world);
      await page.getByRole('heading', { level: 1 }).waitFor();
      faults.push(...(await checkAppearance(page, join(world.artifacts, name))).map((fault) => `${name} ${fault}`));
    }
    assert.deepEqual(faults, []);
  },

  'appearance: every control shows its focus in both themes': async (world) => {
    await prepare(world);
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    const faults = [];
    for (const name of FOCUSED) {
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.goto('about:blank');
        await page.context().clearCookies();
        await VIEWS[name](page, world);
        await page.getByRole('heading', { level: 1 }).waitFor();
        const { count, faint } = await faintFocus(page);
        assert.ok(count > 2, `${name}: ${count} controls`);
        faults.push(...faint.map((fault) => `${name} ${colorScheme}: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
  },

  'appearance: an unknown URL shows a page with status 404': async (world) => {
    const { page } = await world.visitor();
    for (const path of ['/nothing', '/dash/nothing', '/auth/local/nothing']) {
      const response = await page.goto(world.main.url + path);
      assert.equal(response.status(), 404);
      await seeHeading(page, 'Page not found');
    }
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await seeHeading(page, 'Sign in');
  },

  'appearance: pages with one form focus its first field': async (world) => {
    const { page } = await world.visitor();
    for (const [path, label] of [
      ['login', 'User name or e-mail'],
      ['recover', 'E-mail'],
      ['activate', 'E-mail'],
      ['register', 'E-mail'],
    ]) {
      await page.goto(`${world.main.url}/dash/${path}`);
      const field = page.getByLabel(label, { exact: true });
      await field.waitFor();
      assert.equal(await field.evaluate((input) => input === document.activeElement), true, path);
    }
    // Keyboard navigation keeps the focus on the tabs.
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('tab', { name: 'With password' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByLabel('E-mail', { exact: true }).waitFor();
    const isOnTab = () => document.activeElement?.getAttribute('role') === 'tab';
    assert.equal(await page.evaluate(isOnTab), true);
  },

  'appearance: the script of the sign-in page is below 150 KB compressed': async (world) => {
    const { page } = await world.visitor();
    const { names, bytes } = await scriptsOf(page, async () => {
      await page.goto(`${world.main.url}/dash/login`);
      await page.getByRole('link', { name: 'Continue with Acme' }).waitFor();
    });
    console.log(`     ${names.length} files, ${Math.round(bytes / 1_024)} KB`);
    assert.ok(names.length > 0 && bytes < MAX_SCRIPT_BYTES, `${bytes} bytes`);
  },
};
