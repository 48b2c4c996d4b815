import assert from 'node:assert/strict';
import {
  assertCleanAddress,
  fillPassword,
  press,
  see,
  seeHeading,
  signIn,
  signInByProvider,
} from './support/pages.mjs';

const ASKED = 'Did you start this sign-in?';

export const signInScenarios = {
  'sign-in: by password with the keyboard only; a wrong password is reported': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash`);
    await seeHeading(page, 'Sign in');
    assert.equal(await page.title(), 'Sign in · Harbour & Sons');
    await fillPassword(page, person.username, 'not the password');
    await page.keyboard.press('Enter');
    await see(page, 'The user name, e-mail address or password is wrong.');
    await fillPassword(page, person.username, person.password);
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Your account');
    await see(page, `Signed in as ${person.username}.`);
    assertCleanAddress(page, '/dash/account');
  },

  'sign-in: the page has no layout shift': async (world) => {
    const { page } = await world.visitor();
    await page.addInitScript(watchLinks, 'Forgot your password?');
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    // Longer than React waits before it replaces a fallback.
    await page.waitForTimeout(1_000);
    const positions = await page.evaluate(() => globalThis.positions);
    assert.equal(positions.length, 1, `the link moved: ${positions.join(', ')}`);
  },

  'sign-in: tokens are only in memory, and invalid after signing out': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/auth/local/login'));
    await signIn(page, world.main, person);
    const { token } = await (await answered).json();
    const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie].join());
    assert.equal(kept, '0,0,');
    const me = () => fetch(`${world.main.url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await me()).status, 200);
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    assert.equal((await me()).status, 401);
    await page.reload();
    await seeHeading(page, 'Sign in');
  },

  'sign-in: by a mailed code': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('tab', { name: /code/i }).click();
    await page.getByLabel('E-mail', { exact: true }).fill(person.email);
    await press(page, 'Send code');
    const [code] = (await world.mailbox.mailTo(person.email, 2)).codes;
    await page.getByLabel('Code from the e-mail').fill(code === '000000' ? '111111' : '000000');
    await press(page, 'Sign in');
    await see(page, 'The code is wrong or has expired.');
    await page.getByLabel('Code from the e-mail').fill(` ${code.slice(0, 3)} ${code.slice(3)} `);
    await press(page, 'Sign in');
    await seeHeading(page, 'Your account');
  },

  'sign-in: by a provider; the code is removed from the address bar': async (world) => {
    const { email } = world.provider.meet();
    const { page } = await world.visitor();
    await signInByProvider(page, world.main);
    await seeHeading(page, 'Your account');
    assertCleanAddress(page, '/dash/account');
    await see(page, email);
    assert.equal(await page.getByRole('heading', { name: 'E-mail address' }).count(), 0);
    await page.goBack().catch(() => null);
    assert.equal(page.url().includes('code='), false);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  },

  'sign-in: a link with the code of another user needs a confirmation and consumes nothing': async (world) => {
    const stranger = world.provider.meet();
    const code = await codeOfStranger(world);
    const { page } = await world.visitor();
    const exchanges = countExchanges(page);
    // A link opens in a new tab, or in one that already shows the sign-in page.
    for (const already of ['about:blank', `${world.main.url}/dash/login`]) {
      await page.goto(already);
      if (already.startsWith('http')) await seeHeading(page, 'Sign in');
      await page.evaluate((address) => location.assign(address), `${world.main.url}/dash/login#code=${code}`);
      await seeHeading(page, ASKED);
      assertCleanAddress(page, '/dash/login');
      await press(page, 'Sign in again');
      await seeHeading(page, 'Sign in');
      await page.getByRole('link', { name: 'Continue with Acme' }).waitFor();
    }
    assert.equal(exchanges(), 0);
    await page.goto('about:blank');
    await page.goto(`${world.main.url}/dash/login#code=${code}`);
    await press(page, 'I started this sign-in, continue');
    await seeHeading(page, 'Your account');
    await see(page, stranger.email);
  },

  'sign-in: a tab with a pending provider sign-in accepts only its own code': async (world) => {
    world.provider.meet();
    const code = await codeOfStranger(world);
    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByRole('button', { name: 'Continue as Ada' }).waitFor();
    await page.goto(`${world.main.url}/dash/login#code=${code}`);
    await see(page, 'This sign-in expired or was already completed.');
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByRole('button', { name: 'Continue as Ada' }).waitFor();
    await page.goBack();
    await seeHeading(page, 'Sign in');
    await page.waitForFunction(() => sessionStorage.length === 0);
  },

  'sign-in: a code that returns in another tab is invalid there': async (world) => {
    world.provider.meet();
    const visitor = await world.visitor();
    const { page } = visitor;
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByRole('button', { name: 'Continue as Ada' }).waitFor();
    const other = await visitor.newPage();
    await other.goto(page.url());
    const answered = landingOf(other);
    await press(other, 'Continue as Ada');
    await answered;
    await seeHeading(other, ASKED);
    await press(other, 'I started this sign-in, continue');
    await see(other, 'This sign-in expired or was already completed.');
    // The provider has a session by now and does not ask again.
    await other.getByRole('link', { name: 'Continue with Acme' }).click();
    await seeHeading(other, 'Your account');
  },

  'sign-in: cancelling at the provider shows the reason': async (world) => {
    world.provider.meet();
    const { page } = await world.visitor();
    await signInByProvider(page, world.main, 'Cancel');
    await see(page, 'The provider did not complete the sign-in.');
    assertCleanAddress(page, '/dash/login');
  },

  'sign-in: an address that the provider has not verified is refused': async (world) => {
    const person = await world.person(world.main);
    for (const email of ['unproven@provider.example', person.email]) {
      world.provider.meet({ email, email_verified: false });
      const { page } = await world.visitor();
      await signInByProvider(page, world.main);
      await see(page, 'The provider has not verified your e-mail address.');
      assertCleanAddress(page, '/dash/login');
    }
  },
};

async function landingOf(page) {
  const response = await page.waitForResponse((answer) => answer.headers().location?.includes('#code=') === true);
  return response.headers().location;
}

/** Returns a new exchange code of the provider's current user, not bound to any tab, as an attacker would send it. */
async function codeOfStranger(world) {
  const { page } = await world.visitor();
  await page.goto(`${world.main.url}/api/auth/acme/login`);
  const answered = landingOf(page);
  await press(page, 'Continue as Ada');
  const landing = await answered;
  await seeHeading(page, ASKED);
  return landing.split('#code=')[1];
}

function countExchanges(page) {
  let count = 0;
  page.on('request', (request) => (count += request.url().endsWith('/api/auth/exchange') ? 1 : 0));
  return () => count;
}

/** Runs in the page: notes each position of the link with this text, from its first frame. */
function watchLinks(text) {
  globalThis.positions = [];
  const note = () => {
    const link = [...document.querySelectorAll('a')].find(({ textContent }) => textContent === text);
    const top = link && Math.round(link.getBoundingClientRect().top);
    if (link && globalThis.positions.at(-1) !== top) globalThis.positions.push(top);
    requestAnimationFrame(note);
  };
  note();
}
