import assert from 'node:assert/strict';
import { assertCleanAddress, fillAccount, press, see, seeHeading, signIn } from './support/pages.mjs';
import { PASSWORD } from './support/world.mjs';

const ROOT = { email: 'root@example.com', username: 'root', password: PASSWORD };

/** The first administrator. Runs first: every later scenario finds one. */
export const setupScenarios = {
  'set-up: a wrong token is told at its input, and makes nobody': async (world) => {
    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash/setup`);
    await page.getByLabel('Set-up token').fill('not the one');
    await fillAccount(page, ROOT);
    await press(page, 'Create administrator');
    await see(page, 'This set-up token is not right.');
    assert.equal(await page.getByLabel('Set-up token').evaluate((input) => input === document.activeElement), true);
  },

  'set-up: the printed address makes the first administrator, once': async (world) => {
    const { page } = await world.visitor();
    const address = world.main.setupAddress;
    await page.goto(address);
    assertCleanAddress(page, '/dash/setup');
    await fillAccount(page, ROOT);
    await press(page, 'Create administrator');
    await seeHeading(page, 'The administrator is made');
    await signIn(page, world.main, ROOT);
    await see(page, 'Signed in as root.');
    await see(page, 'admin');

    const other = await world.visitor();
    await other.page.goto(address);
    await fillAccount(other.page, { ...ROOT, email: 'other@example.com', username: 'other' });
    await press(other.page, 'Create administrator');
    await see(other.page, 'The first administrator exists already. Sign in instead.');
  },
};
