import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, provePassword, see, seeHeading, signIn } from './support/pages.mjs';
import { PASSWORD } from './support/world.mjs';
import { addApp } from './second-factors.mjs';

const dialog = (page) => page.getByRole('dialog', { name: 'Leave without saving the secret?' });

/** Triggers the browser's own question before a reload or the end of a tab, and stays. */
async function staysAfter(page, leave) {
  const dialogType = new Promise((resolve) => {
    page.once('dialog', async (question) => {
      await question.dismiss();
      resolve(question.type());
    });
  });
  await leave();
  assert.equal(await dialogType, 'beforeunload');
}

/** Tries to leave in each way and stays each time: the secret is still shown. */
async function asksEachTime(page, secret, { link }) {
  const stay = async (leave) => {
    await leave();
    await dialog(page).waitFor();
    await dialog(page).getByRole('button', { name: 'Stay' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await secret.waitFor();
  };
  await stay(() => press(page, 'Sign out'));
  await stay(() => page.getByRole('link', { name: link }).first().click());
  await stay(() => page.evaluate(() => window.history.back()));
  await staysAfter(page, () => page.evaluate(() => window.location.reload()).catch(() => undefined));
  await secret.waitFor();
  await staysAfter(page, () => page.close({ runBeforeUnload: true }));
  await secret.waitFor();
}

async function makeKey(page, name) {
  await press(page, 'Create an API key');
  const form = page.getByRole('form', { name: 'Create an API key' });
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByLabel(/^All (your )?permissions/).check();
  await form.getByRole('button', { name: 'Create an API key' }).click();
}

async function noteKey(page, world) {
  const input = page.getByLabel('The key', { exact: true }).last();
  await input.waitFor();
  world.secrets.add(await input.inputValue());
  return input;
}

async function administrator(service, email) {
  await service.run('dist/program/cli.js', 'admin:create', '--email', email, '--password', PASSWORD);
  return { email, password: PASSWORD };
}

export const shownOnceScenarios = {
  'shown once: leaving unsaved recovery codes needs a confirmation': async (world) => {
    const { main } = world;
    const person = await administrator(main, 'codes@example.com');
    const { page } = await world.visitor();
    await signIn(page, main, person);
    await page.getByRole('link', { name: 'Your account' }).click();
    await seeHeading(page, 'Your account');
    await addApp(page, world, person);
    const codes = page.getByRole('list', { name: 'Recovery codes' });
    await codes.waitFor();
    for (const code of await codes.getByRole('listitem').allInnerTexts()) world.secrets.add(code);
    await asksEachTime(page, codes, { link: 'Records' });
    await press(page, 'I have saved the codes');
    await codes.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Records' }).first().click();
    await seeHeading(page, 'Records');
  },

  'shown once: leaving a new API key needs a confirmation': async (world) => {
    const { main } = world;
    const person = await administrator(main, 'keys@example.com');
    const { page } = await world.visitor();
    await signIn(page, main, person);
    await page.getByRole('link', { name: 'Your account' }).click();
    await seeHeading(page, 'Your account');
    await makeKey(page, 'first');
    await provePassword(page, person.password);
    const key = await noteKey(page, world);
    await asksEachTime(page, key, { link: 'Records' });
    await makeKey(page, 'second');
    await page.getByRole('group', { name: 'Your new key “second”' }).waitFor();
    await noteKey(page, world);
    assert.equal(await page.getByLabel('The key', { exact: true }).count(), 2);
    await press(page, 'Sign out');
    await dialog(page).waitFor();
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'shown-once')), []);
    await page.setViewportSize(SIZES.wide);
    await dialog(page).getByRole('button', { name: 'Leave' }).click();
    await seeHeading(page, 'Sign in');
  },

  'shown once: hiding or leaving the key of a service account needs a confirmation': async (world) => {
    const { main } = world;
    const person = await administrator(main, 'programs@example.com');
    const { page } = await world.visitor();
    await signIn(page, main, person);
    await page.goto(`${main.url}/dash/account`);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Service accounts' }).click();
    await seeHeading(page, 'Service accounts');
    await press(page, 'Create a service account');
    await page.getByLabel('Name', { exact: true }).fill('keeper of keys');
    await page.keyboard.press('Enter');
    await see(page, 'keeper of keys was created. Now create an API key for it.');
    await press(page, 'Keys of keeper of keys');
    await makeKey(page, 'server');
    await provePassword(page, person.password);
    const key = await noteKey(page, world);
    await asksEachTime(page, key, { link: 'Your account' });
    for (const button of ['Keys of keeper of keys', 'Delete keeper of keys']) {
      await press(page, button);
      await dialog(page).getByRole('button', { name: 'Stay' }).click();
      await key.waitFor();
    }
    await page.getByRole('link', { name: 'Your account' }).first().click();
    await dialog(page).getByRole('button', { name: 'Leave' }).click();
    await seeHeading(page, 'Your account');
    await page.goto(`${main.url}/dash/service-accounts`);
    await press(page, 'Delete keeper of keys');
    await press(page, 'Delete now');
    await see(page, 'The service account was deleted.');
  },
};
