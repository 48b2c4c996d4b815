import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './support/child.mjs';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { fillAccount, fillNewPassword, fillPassword, press, see, seeHeading, signIn } from './support/pages.mjs';
import { until } from './support/until.mjs';

const SCRIPT = fileURLToPath(new URL('../../examples/spa/serve.mjs', import.meta.url));

export const webAppScenarios = {
  'web app: signs in on the Lintel page, renews, and survives a reload without a stored token': async (world) => {
    const person = await world.person(world.main);
    const visitor = await openApp(world);
    const { page } = visitor;
    await press(page, 'Sign in');
    await seeHeading(page, 'Sign in to an app');
    await see(page, `${world.app}/`);
    await fillPassword(page, person.email, 'not the password');
    await press(page, 'Sign in to the app');
    await see(page, 'The user name, e-mail address or password is wrong.');
    await fillPassword(page, person.email, person.password);
    await press(page, 'Sign in to the app');
    await see(page, `${person.username} <${person.email}>`);
    await assertNothingStored(page, world);
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'web-app')), []);
    await page.setViewportSize(SIZES.wide);

    await refuseOnce(page, world, '/api/auth/me');
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/auth/token/refresh'));
    await press(page, 'Reload account');
    assert.equal((await answered).status(), 200);
    await see(page, `${person.username} <${person.email}>`);

    await page.reload();
    await press(page, `Continue as ${person.username}`);
    await see(page, `${person.username} <${person.email}>`);
    await assertNothingStored(page, world);
    // One session, even after several loads.
    await page.goto(`${world.main.url}/dash/account`);
    const rows = page.getByRole('region', { name: 'Sessions' }).getByRole('listitem');
    await see(page, 'This session');
    assert.equal(await rows.count(), 1);
  },

  'web app: registration and password reset return to the app, although mails open another tab': async (world) => {
    const person = world.newPerson();
    const visitor = await openApp(world);
    const { page } = visitor;
    const openMail = async (number) => {
      const mail = await visitor.newPage();
      await mail.goto((await world.mailbox.mailTo(person.email, number)).links[0]);
      return mail;
    };
    await press(page, 'Sign in');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await fillAccount(page, person);
    await press(page, 'Create account');
    await seeHeading(page, 'Check your e-mail');
    const activation = await openMail(1);
    await press(activation, 'Activate account');
    await seeHeading(activation, 'Your account is active');
    await seeHeading(page, 'Sign in to an app');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('E-mail', { exact: true }).fill(person.email);
    await press(page, 'Send e-mail');
    await seeHeading(page, 'Check your e-mail');
    // A reload is harmless, and the user can continue manually if the mail is read elsewhere.
    await page.reload();
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await seeHeading(page, 'Sign in to an app');
    await page.goBack();
    await page.getByLabel('E-mail', { exact: true }).fill(person.email);
    const recovery = await openMail(2);
    await fillNewPassword(recovery, 'violet lantern over 9 docks');
    await press(recovery, 'Save new password');
    await seeHeading(recovery, 'Your password has been changed');
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await fillPassword(page, person.email, 'violet lantern over 9 docks');
    await press(page, 'Sign in to the app');
    await see(page, `${person.username} <${person.email}>`);
  },

  'web app: a cancelled sign-in is not repeated, and another user can sign in': async (world) => {
    const [person, other] = [await world.person(world.main), await world.person(world.main)];
    const { page } = await openApp(world);
    await signInToApp(page, person);
    await page.reload();
    await page.getByRole('button', { name: `Continue as ${person.username}` }).waitFor();
    await page.goto(`${world.app}/`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    assert.equal(new URL(page.url()).origin, world.app);
    await press(page, 'Sign in');
    await press(page, 'Use another account');
    await fillPassword(page, other.email, other.password);
    await press(page, 'Sign in to the app');
    await see(page, `${other.username} <${other.email}>`);
    await page.goto(`${world.main.url}/dash/account`);
    await see(page, `Signed in as ${other.username}.`);
  },

  'web app: signing out in one tab signs out all tabs and the Lintel page': async (world) => {
    const person = await world.person(world.main);
    const visitor = await openApp(world);
    const { page } = visitor;
    await signInToApp(page, person);
    const other = await visitor.newPage();
    await other.goto(`${world.app}/`);
    await press(other, 'Sign in');
    await press(other, `Continue as ${person.username}`);
    await see(other, `<${person.email}>`);
    // The other tab does not affect this one.
    await press(page, 'Reload account');
    await see(page, `<${person.email}>`);
    await press(other, 'Sign out');
    for (const tab of [other, page]) await see(tab, 'You are signed out.');
    await page.reload();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.goto(`${world.main.url}/dash/account`);
    await seeHeading(page, 'Sign in');
  },

  'web app: reports a sign-out elsewhere; the next sign-in needs a password': async (world) => {
    const person = await world.person(world.main);
    const visitor = await openApp(world);
    const { page } = visitor;
    await signInToApp(page, person);
    const account = await visitor.newPage();
    await account.goto(`${world.main.url}/dash/account`);
    await press(account, 'Sign out');
    await seeHeading(account, 'Sign in');
    await press(page, 'Reload account');
    await see(page, 'You were signed out. Please sign in again.');
    await press(page, 'Sign in');
    await seeHeading(page, 'Sign in to an app');
    await page.getByLabel('Password', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Continue as/ }).count(), 0);
  },

  'web app: reports an unexpected response and an unreachable service': async (world) => {
    const person = await world.person(world.main);
    const { page } = await openApp(world);
    await page.goto(`${world.app}/?code=${'x'.repeat(43)}&state=of-somebody-else`);
    await see(page, 'This sign-in was not started in this tab. Please sign in again.');
    assert.equal(page.url(), `${world.app}/`);
    await signInToApp(page, person);
    await page.route('**/api/auth/**', (route) => route.abort('aborted'));
    await press(page, 'Reload account');
    await see(page, 'The server cannot be reached. Try again.');
    await press(page, 'Sign out');
    await see(page, 'The server cannot be reached.');
    await page.unroute('**/api/auth/**');
    await press(page, 'Sign out');
    await see(page, 'You are signed out.');
  },

  'web app: another site cannot continue a sign-in as the signed-in user': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor({ origins: [world.app, 'http://evil.example'] });
    await signIn(page, world.main, person);
    const request = { redirect_uri: `${world.app}/`, state: 'x', code_challenge: 'x'.repeat(43) };
    const query = new URLSearchParams({ ...request, code_challenge_method: 'S256' }).toString();
    const link = await fetch(`${world.main.url}/api/auth/authorize?${query}`, { redirect: 'manual' });
    const carrier = new URL(link.headers.get('location'), world.main.url).searchParams.get('cli');
    const action = `${world.main.url}/api/auth/cli/login/session`;
    const form = `<form method="post" action="${action}"><input name="carrier" value="${carrier}"></form>`;
    const body = `${form}<script>document.forms[0].submit()</script>`;
    await page.route('http://evil.example/**', (route) => route.fulfill({ contentType: 'text/html', body }));
    const answered = page.waitForResponse((response) => response.url() === action);
    await page.goto('http://evil.example/', { waitUntil: 'commit' });
    assert.equal((await answered).status(), 403);
    await page.waitForURL(action);
    // The same carrier on the sign-in page waits for a click.
    await page.goto(`${world.main.url}/dash/login?cli=${carrier}`);
    await page.getByRole('button', { name: `Continue as ${person.username}` }).waitFor();
    await page.waitForTimeout(500);
    assert.equal(new URL(page.url()).pathname, '/dash/login');
  },
};

/** Opens the app in a separate browser context. It is served once per run. */
async function openApp(world) {
  await serveApp(world);
  const visitor = await world.visitor({ origins: [world.app] });
  await visitor.page.goto(`${world.app}/`);
  await visitor.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  return visitor;
}

async function serveApp(world) {
  if (world.appText !== undefined) return;
  world.appText = '';
  const args = ['--url', world.main.url, '--port', new URL(world.app).port];
  startChild(SCRIPT, { args, onText: (text) => (world.appText += text) });
  await until(() => world.appText.includes('The app is at'), 'the app');
}

async function signInToApp(page, person) {
  await press(page, 'Sign in');
  await seeHeading(page, 'Sign in to an app');
  await fillPassword(page, person.email, person.password);
  await press(page, 'Sign in to the app');
  await see(page, `<${person.email}>`);
}

async function assertNothingStored(page, world) {
  assert.equal(page.url(), `${world.app}/`);
  const stored = await page.evaluate(async () => ({
    local: { ...localStorage },
    tab: { ...sessionStorage },
    cookie: document.cookie,
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    name: window.name,
    state: history.state,
  }));
  const nothing = { local: {}, cookie: '', databases: [], caches: [], name: '', state: null };
  assert.deepEqual(stored, { ...nothing, tab: { 'signed-in': 'yes' } });
  const cookies = await page.context().cookies();
  assert.deepEqual(
    cookies.map(({ name, domain, httpOnly }) => ({ name, domain, httpOnly })),
    [
      {
        name: `refresh_token_${new URL(world.main.url).port}`,
        domain: new URL(world.main.url).hostname,
        httpOnly: true,
      },
    ],
  );
}

/** Responds to a route once as if the access token had expired. */
function refuseOnce(page, world, path) {
  const body = JSON.stringify({ code: '401', message: 'The token has expired.', data: { error: 'token_expired' } });
  const headers = { 'access-control-allow-origin': world.app, 'content-type': 'application/json' };
  // The route stays installed: removing it could lose a request in flight.
  let isRefused = false;
  return page.route(`${world.main.url}${path}`, (route) => {
    if (isRefused) return route.continue();
    isRefused = true;
    return route.fulfill({ status: 401, headers, body });
  });
}
