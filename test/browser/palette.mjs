import assert from 'node:assert/strict';
import { checkAppearances } from './support/appearance-checks.mjs';
import { prepare, ROOT } from './support/appearance-fixture.mjs';
import { focused, press, see, seeHeading, signIn } from './support/pages.mjs';

const options = (page) => page.getByRole('option');
const dialogs = (page) => page.locator('dialog[open]');

export const paletteScenarios = {
  'palette: opens any page by typing, with the keyboard only': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await page.getByRole('button', { name: 'Go to…' }).waitFor();
    await page.keyboard.press('Control+K');
    const input = page.getByRole('combobox', { name: 'Go to' });
    await input.waitFor();
    assert.equal(await focused(page), 'Go to');
    assert.equal(await options(page).first().innerText(), 'Records');
    await page.keyboard.type('sett serv');
    assert.deepEqual(await options(page).allInnerTexts(), ['Service: settings']);
    const active = await input.getAttribute('aria-activedescendant');
    assert.equal(await options(page).first().getAttribute('id'), active);
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Service');
    await see(page, 'APP_NAME');
    assert.equal(await dialogs(page).count(), 0);

    // The shortcut works in an input, too. Without a result, Enter does nothing.
    await page.getByLabel('Search by name').press('Control+K');
    await page.keyboard.type('no such place');
    await see(page, 'No results.');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('user');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await options(page).first().waitFor();
    assert.equal(await page.locator('[role=option][aria-selected=true]').innerText(), 'Users');
    await page.keyboard.press('Escape');
    assert.equal(await dialogs(page).count(), 0);
    assert.equal(await focused(page), 'Search by name');

    await press(page, 'Go to… Ctrl K');
    await page.getByRole('option', { name: 'Users', exact: true }).click();
    await page.waitForURL(`${main.url}/dash/people`);
  },

  'palette: ? lists the shortcuts, g opens pages, and both are text in inputs': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await page.getByRole('button', { name: 'Go to…' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts', exact: true }).waitFor();
    assert.equal(await focused(page), 'Close');
    // An open dialog captures the shortcuts.
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Keyboard shortcuts', exact: true }).waitFor({ state: 'detached' });
    await seeHeading(page, 'Records');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await seeHeading(page, 'Users');
    await page.getByLabel('Search').click();
    await page.keyboard.type('gs?');
    assert.equal(await page.getByLabel('Search').inputValue(), 'gs?');
    assert.equal(await dialogs(page).count(), 0);
    await seeHeading(page, 'Users');
  },

  'palette: lists only pages that the user can open': async (world) => {
    const { main } = world;
    const { page } = await world.visitor();
    await signIn(page, main, await world.person(main));
    await see(page, 'This session');
    assert.equal(await page.getByRole('button', { name: 'Go to…' }).count(), 0);
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.keyboard.press('Control+K');
    await seeHeading(page, 'Your account');
    assert.equal(await dialogs(page).count(), 0);
  },

  'palette: is screenshotted, passes axe and fits a small screen': async (world) => {
    await prepare(world);
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    await signIn(page, world.main, ROOT);
    assert.deepEqual(await checkAppearances(page, world, VIEWS), []);
  },
};

const VIEWS = {
  palette: async (page, { main }) => {
    await page.goto(`${main.url}/dash/people`);
    await page.getByRole('button', { name: 'Go to…' }).waitFor();
    await page.keyboard.press('Control+K');
    await options(page).first().waitFor();
  },
  'palette-keys': async (page, { main }) => {
    await page.goto(`${main.url}/dash/people`);
    await page.getByRole('button', { name: 'Go to…' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts', exact: true }).waitFor();
  },
};
