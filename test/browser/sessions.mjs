import assert from 'node:assert/strict';
import { assertCleanAddress, cookiePath, fillPassword, press, see, seeHeading, signIn } from './support/pages.mjs';
import { until } from './support/until.mjs';
import { PASSWORD } from './support/world.mjs';

/** Short-lived access tokens, so that tabs renew often. Still long enough for slow responses of a busy machine. */
const HASTY = { AUTH_ENABLE_REFRESH_TOKEN: 'true', AUTH_ACCESS_TOKEN_LIFETIME: '5' };
const AUTO = JSON.stringify({ providers: { local: { activation_method: 'auto' } } });

export const sessionScenarios = {
  'session: a reload, another tab and a typed URL stay signed in; no token is in storage': async (world) => {
    const person = await world.person(world.main);
    const visitor = await world.visitor();
    const { page } = visitor;
    await signIn(page, world.main, person);
    for (let times = 0; times < 3; times += 1) {
      await page.reload();
      await see(page, `Signed in as ${person.username}.`);
    }
    const other = await visitor.newPage();
    for (const path of ['/', '/dash', '/dash/login', '/dash/account']) {
      await other.goto(world.main.url + path);
      await see(other, `Signed in as ${person.username}.`);
      assertCleanAddress(other, '/dash/account');
    }
    await other.goto(`${world.main.url}/dash/register`);
    await other.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
    for (const tab of [page, other]) assert.deepEqual(await tab.evaluate(whatScriptsFind), []);
    const kept = (await page.context().cookies()).filter(
      ({ name }) => name === `refresh_token_${new URL(world.main.url).port}`,
    );
    assert.deepEqual(
      kept.map(({ httpOnly, sameSite, path }) => ({ httpOnly, sameSite, path })),
      [{ httpOnly: true, sameSite: 'Lax', path: cookiePath() }],
    );
    assert.equal(await sessionCount(world, page), 1);
  },

  'session: signing out in one tab signs out all tabs': async (world) => {
    const visitor = await world.visitor();
    const { page } = visitor;
    await signIn(page, world.main, await world.person(world.main));
    const others = [await visitor.newPage(), await visitor.newPage()];
    for (const other of others) await other.goto(`${world.main.url}/dash/account`);
    for (const other of others) await see(other, 'This session');
    await press(page, 'Sign out');
    for (const tab of [page, ...others]) {
      await seeHeading(tab, 'Sign in');
      await see(tab, 'You are signed out.');
      await tab.reload();
      await seeHeading(tab, 'Sign in');
    }
    assert.equal((await page.context().cookies()).length, 0);
  },

  'session: signing in as another user changes all tabs, with one session': async (world) => {
    const [ann, bob] = [await world.person(world.main), await world.person(world.main)];
    const visitor = await world.visitor();
    const { page } = visitor;
    const other = await visitor.newPage();
    const third = await visitor.newPage();
    for (const tab of [other, third]) await tab.goto(`${world.main.url}/dash/login`);
    for (const tab of [other, third]) await seeHeading(tab, 'Sign in');
    await signIn(page, world.main, ann);
    for (const tab of [other, third]) await see(tab, `Signed in as ${ann.username}.`);
    // The other tabs are not notified of this sign-in, so the first one still shows its page.
    const { origin } = new URL(page.url());
    const status = await other.evaluate(signInByRequest, { login: bob.email, password: bob.password });
    assert.deepEqual([status, new URL(other.url()).origin], [200, origin]);
    await press(page, 'Change e-mail address');
    await page.getByLabel('New e-mail address').fill('other@example.com');
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD);
    await press(page, 'Change');
    await see(page, `Signed in as ${bob.username}.`);
    await page.reload();
    await see(page, `Signed in as ${bob.username}.`);
    assert.equal(await sessionCount(world, page), 1);
  },

  'session: tabs that renew at the same time stay signed in': async (world) => {
    const service = await world.start({ ...HASTY, AUTH: AUTO });
    const person = world.newPerson();
    await service.post('/api/auth/local/register', { ...person, password_confirmation: person.password });
    const visitor = await world.visitor();
    await signIn(visitor.page, service, person);
    const tabs = await Promise.all(Array.from({ length: 7 }, () => visitor.newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(`${service.url}/dash/account`)));
    const until = Date.now() + 14_000;
    for (let round = 0; Date.now() < until; round += 1) await tabs[round % tabs.length].reload();
    for (const tab of [visitor.page, ...tabs]) {
      await tab.reload();
      await see(tab, `Signed in as ${person.username}.`);
    }
    await press(visitor.page, 'Sign out');
    for (const tab of tabs) await seeHeading(tab, 'Sign in');
  },

  'session: leaving a page during a renewal stays signed in': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    for (let times = 0; times < 12; times += 1) {
      await page.goto(`${world.main.url}/dash/account`, { waitUntil: 'commit' });
      await page.waitForTimeout(times * 15);
    }
    await page.goto('about:blank');
    await new Promise((resolve) => setTimeout(resolve, 10_500));
    await page.goto(`${world.main.url}/dash`);
    await see(page, `Signed in as ${person.username}.`);
  },

  'session: works without refresh tokens until the access token expires': async (world) => {
    const service = await world.start({ AUTH: AUTO, AUTH_ACCESS_TOKEN_LIFETIME: '20' });
    const person = world.newPerson();
    await service.post('/api/auth/local/register', { ...person, password_confirmation: person.password });
    const { page } = await world.visitor();
    await signIn(page, service, person);
    await page.reload();
    await see(page, `Signed in as ${person.username}.`);
    assert.deepEqual(await page.evaluate(whatScriptsFind), []);
    await page.getByText('Your session has ended. Sign in again.').waitFor({ timeout: 30_000 });
    await page.reload();
    await seeHeading(page, 'Sign in');
    await signIn(page, service, person);
    await press(page, 'Sign out');
    await see(page, 'You are signed out.');
    await page.reload();
    await seeHeading(page, 'Sign in');
  },

  'session: a provider sign-in replaces the previous session': async (world) => {
    const { provider, main } = world;
    const first = provider.meet();
    const { page } = await world.visitor();
    await page.goto(`${main.url}/dash/login`);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await press(page, 'Continue as Ada');
    await see(page, `Signed in as ${first.email}.`);
    await page.reload();
    await see(page, `Signed in as ${first.email}.`);
    const person = await world.person(main);
    await press(page, 'Sign out');
    // One tab is at the provider while another one signs in with a password.
    await page.getByRole('link', { name: 'Continue with Acme' }).waitFor();
    const other = await page.context().newPage();
    await signIn(other, main, person);
    await see(page, `Signed in as ${person.username}.`);
    assert.equal(await sessionCount(world, page), 1);
  },

  'session: a provider that cancels or is down does not change the session': async (world) => {
    const person = await world.person(world.main);
    world.provider.meet();
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await press(page, 'Link Acme');
    await page.getByLabel('Current password', { exact: true }).fill(person.password);
    await press(page, 'Link Acme');
    // The earlier form also has a button with this name.
    await page.getByRole('button', { name: 'Continue as Ada' }).waitFor();
    await press(page, 'Cancel');
    await see(page, 'The provider did not complete the sign-in.');
    await see(page, `Signed in as ${person.username}.`);
    assertCleanAddress(page, '/dash/account');
    await press(page, 'Link Acme');
    await page.getByLabel('Current password', { exact: true }).fill(person.password);
    await press(page, 'Link Acme');
    await page.getByRole('button', { name: 'Continue as Ada' }).waitFor();
    world.provider.tokenMode = 'off';
    await press(page, 'Continue as Ada');
    await see(page, 'The provider does not respond.');
    world.provider.tokenMode = 'right';
    await see(page, `Signed in as ${person.username}.`);
    await page.goto(`${world.main.url}/dash/login#error=provider_unavailable`);
    await see(page, 'The provider does not respond.');
    await see(page, `Signed in as ${person.username}.`);
    await page.reload();
    assert.equal(await page.getByText('The provider does not respond').count(), 0);
  },

  'session: an unreachable service does not sign out, and reports a failed sign-out': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await see(page, 'This session');
    await page.route('**/api/**', (route) => route.abort('connectionrefused'));
    await press(page, 'Sign out');
    await see(page, 'You are still signed in.');
    await page.reload();
    await see(page, 'The service cannot be reached.');
    await page.unroute('**/api/**');
    // An automatic retry may already have succeeded; then the button is gone.
    const again = page.getByRole('button', { name: 'Try again' }).first();
    await again.click({ timeout: 3_000 }).catch(() => undefined);
    await see(page, `Signed in as ${person.username}.`);
    await press(page, 'Sign out');
    await see(page, 'You are signed out.');
  },

  'session: a deactivated account is signed out everywhere': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await world.main.run('dist/program/cli.js', 'user:deactivate', person.email);
    await until(async () => {
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      return (await page.getByRole('heading', { level: 1, name: 'Sign in' }).count()) > 0;
    }, 'the sign-in page');
    await fillPassword(page, person.email, person.password);
    await page.keyboard.press('Enter');
    await see(page, 'This account is not active.');
  },
};

/** Returns the secrets in the page that a hostile script could read. */
async function whatScriptsFind() {
  const databases = await indexedDB.databases();
  const caches = await globalThis.caches.keys();
  const found = [document.cookie, window.name, JSON.stringify(history.state ?? {}), location.hash, location.search];
  const kept = [...Object.keys(localStorage), ...Object.keys(sessionStorage), ...databases, ...caches];
  return [...kept, ...found.filter((text) => /[\w-]{43}|eyJ/.test(text))];
}

async function signInByRequest(body) {
  const headers = { 'content-type': 'application/json', 'lintel-session': 'cookie' };
  const answer = await fetch('/api/auth/local/login', { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.status;
}

async function sessionCount({ main }, page) {
  const answer = await page.evaluate(async (url) => {
    const response = await fetch(url, { method: 'POST' });
    return response.json();
  }, `${main.url}/api/auth/token/resume`);
  const headers = { authorization: `Bearer ${answer.token}` };
  return (await (await fetch(`${main.url}/api/auth/sessions`, { headers })).json()).data.length;
}
