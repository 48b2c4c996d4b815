import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { fillAccount, focused, pathOf, press, see, seeHeading, signIn, signInByProvider } from './support/pages.mjs';
import { freeAddress } from './support/service.mjs';
import { PASSWORD } from './support/world.mjs';
import { initiate } from './native.mjs';

const AUTO = JSON.stringify({ providers: { local: { activation_method: 'auto' } } });
const ROOT = { email: 'root@example.com', username: 'root', password: PASSWORD };
const START = 'Go to the start page';

export const publicPageScenarios = {
  'public pages: no registration before the setup; afterwards a registration signs in': async (world) => {
    const service = await world.start({
      AUTH: AUTO,
      AUTH_ENABLE_REFRESH_TOKEN: 'true',
      AUTH_CLI_LOGIN_ENABLED: 'true',
    });
    const { page } = await world.visitor();
    await page.goto(`${service.url}/dash/login`);
    await see(page, 'Open the link in the log of the service');
    for (const name of ['Create an account', 'Forgot your password?'])
      assert.equal(await page.getByRole('link', { name }).count(), 0, name);
    await page.goto(`${service.url}/dash/register`);
    await see(page, 'Open the link in the log of the service');
    const token = new URL(service.setupAddress).hash.replace('#token=', '');
    await service.post('/api/setup', { ...ROOT, password_confirmation: PASSWORD, token });

    // A guest is sent to the sign-in, and from there to the registration.
    await page.goto(`${service.url}/nowhere`);
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await page.getByRole('link', { name: 'Create an account' }).click();
    const person = world.newPerson();
    await fillAccount(page, person);
    await press(page, 'Create account');
    await seeHeading(page, 'Your account');
    await see(page, `Signed in as ${person.username}.`);
    assert.equal(pathOf(page.url()), '/dash/account');

    await leadsOn(page, world, service);
    await readsTheReference(page, service);
    await page.goto(`${service.url}/dash/account`);
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await page.goto(`${service.url}/dash/setup`);
    await page.getByRole('link', { name: 'Go to sign-in' }).waitFor();

    // In an app sign-in the browser itself submits the form, so the address is only filled in.
    const login = await initiate({ main: service, secrets: world.secrets }, 'http://127.0.0.1:49152/callback');
    await page.goto(new URL(login.authorize_url, service.url).href);
    await page.getByRole('link', { name: 'Create an account' }).click();
    const other = world.newPerson();
    await fillAccount(page, other);
    await press(page, 'Create account');
    await seeHeading(page, 'Your account is ready');
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await seeHeading(page, 'Sign in to an app');
    assert.equal(await page.getByLabel('User name or e-mail').inputValue(), other.email);

    const administrator = await world.visitor();
    await signIn(administrator.page, service, ROOT);
    await leadsToTheReference(administrator.page, service);
  },

  'public pages: over HTTP a provider sign-in needs a confirmation, with the reason': async (world) => {
    const direct = await freeAddress();
    const url = direct.replace('localhost', 'intranet.test');
    const provider = await world.anotherProvider();
    await provider.serve([`${url}/api/auth/acme/callback`]);
    const AUTH = JSON.stringify({ enabled_providers: ['acme'], providers: { acme: provider.settings } });
    const service = await world.start(
      { APP_URL: url, AUTH, AUTH_ENABLE_REFRESH_TOKEN: 'true' },
      { direct, url: direct },
    );
    const { page } = await world.visitor();
    provider.meet();
    await signInByProvider(page, service);
    await confirms(page);
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'login-unconfirmed')), []);
    await page.setViewportSize(SIZES.wide);
    await press(page, 'Sign in again');
    await seeHeading(page, 'Sign in');
    // The provider has a session by now and does not ask again.
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await confirms(page);
    await press(page, 'I started this sign-in, continue');
    await seeHeading(page, 'Your account');
  },
};

/** Asserts that pages without a purpose for a signed-in user link to the start page. */
async function leadsOn(page, world, { url }) {
  const spent = `token=${'x'.repeat(43)}`;
  for (const [path, button] of [
    ['/nowhere'],
    ['/dash/nothing'],
    ['/dash/recover'],
    ['/dash/activate'],
    ['/dash/invitation'],
    ['/auth/credentials/revoke'],
    [`/auth/credentials/revoke?${spent}`, 'Revoke'],
    [`/auth/local/email/cancel?${spent}`, 'Cancel the change'],
  ]) {
    await page.goto(url + path);
    if (button !== undefined) await press(page, button);
    await page.getByRole('link', { name: START }).waitFor();
    assert.equal(await page.getByRole('link', { name: /sign-in/ }).count(), 0, path);
  }
  await page.goto(`${url}/nowhere`);
  await page.getByRole('link', { name: START }).waitFor();
  assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'no-such-page-signed-in')), []);
  await page.setViewportSize(SIZES.wide);
  await page.getByRole('link', { name: START }).click();
  await seeHeading(page, 'Your account');
  for (const path of ['/dash/register', '/dash/login']) {
    await page.goto(url + path);
    await seeHeading(page, 'Your account');
  }
  await page.goto(`${url}/dash/setup`);
  await page.getByRole('link', { name: 'Go to your account' }).click();
  await seeHeading(page, 'Your account');
}

/** Opens the API reference from the API keys. It asks a signed-in user for no token. */
async function readsTheReference(page, service) {
  await page.getByRole('region', { name: 'API keys' }).getByRole('link', { name: 'API reference' }).click();
  await page.waitForURL(`${service.url}/api/docs`);
  await see(page, 'You are signed in: no token is needed.');
  assert.equal(await page.getByLabel('Access token').isVisible(), false);
  await press(page, 'Use another token');
  assert.equal(await focused(page), 'Access token');
  await page.getByRole('link', { name: START }).click();
  await seeHeading(page, 'Your account');
}

async function leadsToTheReference(page, { url }) {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'API reference' }).click();
  await page.waitForURL(`${url}/api/docs`);
  await page.goto(`${url}/dash/account`);
  await page.getByRole('button', { name: 'Go to…' }).waitFor();
  await page.keyboard.press('Control+K');
  await page.keyboard.type('api ref');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/api/docs`);
  await see(page, 'You are signed in: no token is needed.');
}

async function confirms(page) {
  await seeHeading(page, 'Confirm the sign-in');
  await see(page, 'This page uses http, so it cannot check where the sign-in was started.');
  assert.equal(await page.getByText('Did you start this sign-in?').count(), 0);
}
