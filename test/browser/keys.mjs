import assert from 'node:assert/strict';
import { makeKeys, makeProgram, prepare, ROOT } from './support/appearance-fixture.mjs';
import { asksForProof, focused, press, provePassword, see, seeHeading, signIn, tabTo } from './support/pages.mjs';

const CLIPBOARD = ['clipboard-read', 'clipboard-write'];
const section = (page) => page.getByRole('region', { name: 'API keys' });

export const keyScenarios = {
  'keys: an API key with scopes is created, copied, replaced and revoked by keyboard': async (world) => {
    const { main } = world;
    const person = await world.person(main);
    const { page } = await world.visitor({ permissions: CLIPBOARD });
    await signIn(page, main, person);
    await see(page, 'You have no API keys.');

    await tabTo(page, 'Create an API key');
    await page.keyboard.press('Enter');
    await page.getByRole('form', { name: 'Create an API key' }).waitFor();
    assert.equal(await focused(page), 'Name');
    await page.keyboard.type('nightly');
    await page.keyboard.press('Enter');
    await see(page, 'Select at least one permission.');
    await tabTo(page, 'Read');
    await page.keyboard.press('Space');
    await tabTo(page, 'Addresses (optional)');
    await page.keyboard.type('127.0.0.0/8, nowhere');
    await page.keyboard.press('Enter');
    await see(page, /^Must be an address or a network/);
    assert.equal(await focused(page), 'Addresses (optional)');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('127.0.0.0/8 ::1');
    await page.keyboard.press('Enter');
    await provePassword(page, person.password);
    const first = await takeKey(page, world);
    assert.equal(await statusOf(main, first), 403);
    const [row] = await section(page).getByRole('listitem').allInnerTexts();
    assert.match(
      row,
      /^nightly lin_pat_\w{4}…\nallowed: user: read\nonly from 127\.0\.0\.0\/8, ::1\nnever used · expires /,
    );

    await tabTo(page, `Replace nightly (${first.slice(0, 12)}…)`);
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Hours until the old key expires');
    await page.keyboard.press('Enter');
    const second = await takeKey(page, world);
    assert.notEqual(second, first);
    for (const key of [first, second]) assert.equal(await statusOf(main, key), 403);
    await see(page, /replaced, expires/);

    await tabTo(page, `Revoke nightly (${second.slice(0, 12)}…)`);
    await page.keyboard.press('Enter');
    await see(page, 'Programs that use this key stop working immediately.');
    assert.equal(await focused(page), 'Cancel');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), `Revoke nightly (${second.slice(0, 12)}…)`);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await focused(page), 'Revoke now');
    await page.keyboard.press('Enter');
    await see(page, 'The key was revoked.');
    assert.equal(await focused(page), 'API keys');
    assert.deepEqual([await statusOf(main, first), await statusOf(main, second)], [403, 401]);
    assert.equal(await section(page).getByRole('listitem').count(), 1);
  },

  'keys: an unrestricted key needs the password; a key revoked in another tab is removed': async (world) => {
    const { main } = world;
    const person = await world.person(main);
    const { page } = await world.visitor();
    await signIn(page, main, person);
    await asksForProof(page, '**/api/auth/keys');
    await press(page, 'Create an API key');
    await page.getByLabel('Name', { exact: true }).fill('all of it');
    await page.getByLabel('All your permissions').check();
    assert.equal(await page.getByLabel('Read', { exact: true }).count(), 0);
    await page.getByLabel('Days until it expires').fill('0');
    const submit = page
      .getByRole('form', { name: 'Create an API key' })
      .getByRole('button', { name: 'Create an API key' });
    await submit.click();
    const password = page.getByLabel('Current password', { exact: true });
    await password.waitFor();
    assert.equal(await focused(page), 'Current password');
    await page.keyboard.press('Enter');
    await see(page, 'Enter your current password.');
    await password.fill('not my password');
    await page.keyboard.press('Enter');
    await see(page, 'This is not your current password.');
    await page.keyboard.press('Escape');
    await see(page, 'Your sign-in is too long ago.');
    assert.equal(await focused(page), 'Create an API key');
    await submit.click();
    await password.fill(person.password);
    await page.keyboard.press('Enter');
    await see(page, /^Must be a whole number from 1 to 3650/);
    assert.equal(await focused(page), 'Days until it expires');
    await page.getByLabel('Days until it expires').fill('30');
    await submit.click();
    const key = await takeKey(page, world, { copies: false });
    await see(page, 'allowed: all your permissions');
    await main.post('/api/auth/keys/report', { key });
    await page.getByRole('button', { name: /^Revoke all of it/ }).click();
    await press(page, 'Revoke now');
    await see(page, 'This key was already revoked.');
    await see(page, 'You have no API keys.');
  },

  'keys: an administrator creates a service account with a key, and deletes both': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('link', { name: 'Service accounts' }).click();
    await seeHeading(page, 'Service accounts');
    await tabTo(page, 'Create a service account');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Name');
    await page.keyboard.type('warehouse');
    const roles = page.getByRole('group', { name: 'Roles' });
    assert.equal(await roles.getByLabel('user', { exact: true }).isChecked(), true);
    assert.equal(await roles.getByLabel('guest', { exact: true }).count(), 0);
    await tabTo(page, 'admin');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await see(page, 'warehouse was created. Now create an API key for it.');
    await see(page, 'roles: admin, user');
    await tabTo(page, 'Keys of warehouse');
    await page.keyboard.press('Enter');
    await see(page, 'This service account has no API keys.');
    await press(page, 'Create an API key');
    await page.getByLabel('Name', { exact: true }).fill('server');
    await page.getByLabel('All permissions of the service account').check();
    await page.getByLabel('Does not expire').check();
    assert.equal(await page.getByLabel('Days until it expires').count(), 0);
    const form = page.getByRole('form', { name: 'Create an API key' });
    await form.getByRole('button', { name: 'Create an API key' }).click();
    await provePassword(page, ROOT.password);
    const key = await takeKey(page, world, { kind: 'svc', copies: false, back: 'Keys of warehouse' });
    await see(page, 'allowed: all permissions of the service account');
    const users = () => fetch(`${main.url}/api/content/users`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await users()).status, 200);
    await press(page, 'Delete warehouse');
    await press(page, 'Delete now');
    await see(page, 'The service account was deleted.');
    await see(page, 'No service accounts yet.');
    assert.equal((await users()).status, 401);
    await page.getByRole('link', { name: 'Your account' }).click();
    await seeHeading(page, 'Your account');
  },
};

export const keyViews = {
  'account-keys': async (page, world) => {
    await makeKeys(world);
    await signIn(page, world.main, world.viewer);
    await see(page, 'nightly report');
    await page.getByRole('button', { name: /^Revoke warehouse/ }).click();
    await see(page, 'Programs that use this key stop working immediately.');
  },
  'account-keys-new': async (page, world) => {
    await signIn(page, world.main, ROOT);
    await page.goto(`${world.main.url}/dash/account`);
    await press(page, 'Create an API key');
    await page.getByRole('form', { name: 'Create an API key' }).waitFor();
    await page.getByText('Other permissions').click();
    await page.getByLabel('Addresses (optional)').fill('localhost');
    await page.getByLabel('Name', { exact: true }).fill('backup of the archive, every night');
    await page.getByLabel('Read', { exact: true }).first().check();
    await page.keyboard.press('Enter');
    await see(page, /^Must be an address or a network/);
  },
  'account-keys-shown': async (page, world) => {
    await makeKeys(world);
    await signIn(page, world.main, world.viewer);
    await page.getByRole('button', { name: /^Replace nightly report/ }).click();
    await page.getByLabel('Hours until the old key expires').fill('1');
    await page.keyboard.press('Enter');
    await provePassword(page, world.viewer.password);
    await page.getByLabel('The key').waitFor();
    await press(page, 'Copy the key');
    await see(page, /^Copied|did not allow copying/);
  },
  'account-keys-replace': async (page, world) => {
    await makeKeys(world);
    await signIn(page, world.main, world.viewer);
    await page.getByRole('button', { name: /^Replace warehouse/ }).click();
    await page.getByLabel('Hours until the old key expires').waitFor();
  },
  'service-accounts': async (page, world) => {
    const name = await makeProgram(world);
    await signIn(page, world.main, ROOT);
    await page.goto(`${world.main.url}/dash/service-accounts`);
    await page.getByRole('button', { name: `Keys of ${name}` }).click();
    await see(page, 'allowed: all permissions of the service account');
    await press(page, 'Create a service account');
  },
};

/** Copies the shown key and dismisses it. Afterwards the page no longer contains it. */
async function takeKey(page, world, { kind = 'pat', copies = true, back = 'API keys' } = {}) {
  const field = page.getByLabel('The key', { exact: true });
  await field.waitFor();
  const key = await field.inputValue();
  assert.match(key, new RegExp(`^lin_${kind}_[0-9A-Za-z]{36}$`));
  world.secrets.add(key);
  assert.equal(await focused(page), 'The key');
  const selected = (input) => input.value.slice(input.selectionStart, input.selectionEnd);
  assert.equal(await field.evaluate(selected), key);
  if (copies) {
    await tabTo(page, 'Copy the key');
    await page.keyboard.press('Enter');
    await see(page, 'Copied.');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
  }
  await tabTo(page, 'I have copied the key');
  await page.keyboard.press('Enter');
  await field.waitFor({ state: 'detached' });
  assert.equal(await focused(page), back);
  assert.ok(!(await page.content()).includes(key));
  return key;
}

/** Returns the status of a request with a key: 403 for a valid key, because keys cannot use `auth` routes. */
async function statusOf({ url }, key) {
  return (await fetch(`${url}/api/auth/me`, { headers: { authorization: `Bearer ${key}` } })).status;
}
