import assert from 'node:assert/strict';
import { assertCleanAddress, fillAccount, press, see, seeHeading } from './support/pages.mjs';
import { PASSWORD } from './support/world.mjs';

const ROOT = { email: 'root@example.com', username: 'root', password: PASSWORD };

/** Creates the first administrator. Runs first, because all later scenarios need one. */
export const setupScenarios = {
  'set-up: a wrong token is reported at its input and creates no account': async (world) => {
    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash/login`);
    await see(page, 'Open the link in the log of the service');
    await page.goto(`${world.main.url}/dash/setup`);
    await page.getByLabel('Setup token').fill('not the one');
    await fillAccount(page, ROOT);
    await press(page, 'Create administrator');
    await see(page, 'The setup token is not valid.');
    assert.equal(await page.getByLabel('Setup token').evaluate((input) => input === document.activeElement), true);
  },

  'set-up: the printed URL creates the first administrator, once': async (world) => {
    const { page } = await world.visitor();
    const address = world.main.setupAddress;
    await page.goto(address);
    assertCleanAddress(page, '/dash/setup');
    await fillAccount(page, ROOT);
    const late = await world.visitor();
    await late.page.goto(address);
    await fillAccount(late.page, { ...ROOT, email: 'late@example.com', username: 'late' });
    await press(page, 'Create administrator');
    await seeHeading(page, 'Harbour & Sons is set up');
    await see(page, 'You are signed in as the first administrator.');
    for (const step of ['Create a schema', 'Set permissions', 'Invite users', 'Explore the API', 'Build an app'])
      await see(page, step);
    await page.getByRole('link', { name: 'Go to the console' }).click();
    await seeHeading(page, 'Records');
    await see(page, 'No schemas yet.');
    await page.getByRole('link', { name: 'Your account' }).click();
    await see(page, 'Signed in as root.');
    await see(page, 'admin');

    await press(late.page, 'Create administrator');
    await see(late.page, 'The first administrator already exists.');
    await late.page.getByRole('link', { name: 'Go to sign-in' }).waitFor();

    const other = await world.visitor();
    for (const again of [address, `${world.main.url}/dash/setup`]) {
      await other.page.goto('about:blank');
      await other.page.goto(again);
      await seeHeading(other.page, 'Setup is complete');
      assert.equal(await other.page.getByRole('textbox').count(), 0);
    }
    await other.page.getByRole('link', { name: 'Go to sign-in' }).click();
    await seeHeading(other.page, 'Sign in');
  },
};
