import assert from 'node:assert/strict';
import { makeKeys, makeProgram, prepare, ROOT } from './support/look-world.mjs';
import { asksForProof, focused, press, provePassword, see, seeHeading, signIn, tabTo } from './support/pages.mjs';

const CLIPBOARD = ['clipboard-read', 'clipboard-write'];
const section = (page) => page.getByRole('region', { name: 'API keys' });

export const keyScenarios = {
  'keys: one is made for a part, copied, replaced and ended, by keyboard alone': async (world) => {
    const { main } = world;
    const person = await world.person(main);
    const { page } = await world.visitor({ permissions: CLIPBOARD });
    await signIn(page, main, person);
    await see(page, 'You have no API keys.');

    await tabTo(page, 'Make an API key');
    await page.keyboard.press('Enter');
    await page.getByRole('form', { name: 'Make an API key' }).waitFor();
    assert.equal(await focused(page), 'Name');
    await page.keyboard.type('nightly');
    await page.keyboard.press('Enter');
    await see(page, 'Choose at least one thing that the key may do.');
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
      /^nightly lin_pat_\w{4}…\nmay do: user: read\nonly from 127\.0\.0\.0\/8, ::1\nnever used · expires /,
    );

    await tabTo(page, `Replace nightly (${first.slice(0, 12)}…)`);
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Hours that the old key goes on');
    await page.keyboard.press('Enter');
    const second = await takeKey(page, world);
    assert.notEqual(second, first);
    for (const key of [first, second]) assert.equal(await statusOf(main, key), 403);
    await see(page, /replaced, ends/);

    await tabTo(page, `End nightly (${second.slice(0, 12)}…)`);
    await page.keyboard.press('Enter');
    await see(page, 'What uses this key stops working at once.');
    assert.equal(await focused(page), 'Cancel');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), `End nightly (${second.slice(0, 12)}…)`);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await focused(page), 'End it now');
    await page.keyboard.press('Enter');
    await see(page, 'The key has ended.');
    assert.equal(await focused(page), 'API keys');
    assert.deepEqual([await statusOf(main, first), await statusOf(main, second)], [403, 401]);
    assert.equal(await section(page).getByRole('listitem').count(), 1);
  },

  'keys: one that may everything, after the password, and one that another tab ended': async (world) => {
    const { main } = world;
    const person = await world.person(main);
    const { page } = await world.visitor();
    await signIn(page, main, person);
    await asksForProof(page, '**/api/auth/keys');
    await press(page, 'Make an API key');
    await page.getByLabel('Name', { exact: true }).fill('all of it');
    await page.getByLabel('Everything that you may do').check();
    assert.equal(await page.getByLabel('Read', { exact: true }).count(), 0);
    await page.getByLabel('Days until it expires').fill('0');
    const submit = page.getByRole('form', { name: 'Make an API key' }).getByRole('button', { name: 'Make an API key' });
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
    await see(page, 'You signed in too long ago for this.');
    assert.equal(await focused(page), 'Make an API key');
    await submit.click();
    await password.fill(person.password);
    await page.keyboard.press('Enter');
    await see(page, /^Must be a whole number from 1 to 3650/);
    assert.equal(await focused(page), 'Days until it expires');
    await page.getByLabel('Days until it expires').fill('30');
    await submit.click();
    const key = await takeKey(page, world, { copies: false });
    await see(page, 'may do: everything that you may');
    await main.post('/api/auth/keys/report', { key });
    await page.getByRole('button', { name: /^End all of it/ }).click();
    await press(page, 'End it now');
    await see(page, 'This key has ended already.');
    await see(page, 'You have no API keys.');
  },

  'keys: an administrator makes an account of a program with a key that lasts, and removes both': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('link', { name: 'Accounts of programs' }).click();
    await seeHeading(page, 'Accounts of programs');
    await tabTo(page, 'Make an account');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Name');
    await page.keyboard.type('warehouse');
    const roles = page.getByRole('group', { name: 'Roles' });
    assert.equal(await roles.getByLabel('user', { exact: true }).isChecked(), true);
    assert.equal(await roles.getByLabel('guest', { exact: true }).count(), 0);
    await tabTo(page, 'admin');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await see(page, 'warehouse is there. Now it needs a key.');
    await see(page, 'roles: admin, user');
    await tabTo(page, 'Keys of warehouse');
    await page.keyboard.press('Enter');
    await see(page, 'It has no API keys.');
    await press(page, 'Make an API key');
    await page.getByLabel('Name', { exact: true }).fill('server');
    await page.getByLabel('Everything that its account may do').check();
    await page.getByLabel('It does not expire').check();
    assert.equal(await page.getByLabel('Days until it expires').count(), 0);
    const form = page.getByRole('form', { name: 'Make an API key' });
    await form.getByRole('button', { name: 'Make an API key' }).click();
    await provePassword(page, ROOT.password);
    const key = await takeKey(page, world, { kind: 'svc', copies: false, back: 'Keys of warehouse' });
    await see(page, 'may do: everything that its account may');
    const users = () => fetch(`${main.url}/api/content/users`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await users()).status, 200);
    await press(page, 'Remove warehouse');
    await press(page, 'Remove it now');
    await see(page, 'The account is removed.');
    await see(page, 'There are no accounts of programs.');
    assert.equal((await users()).status, 401);
    await page.getByRole('link', { name: 'Your account' }).click();
    await seeHeading(page, 'Your account');
  },
};

export const keyViews = {
  'account-keys': async (page, world) => {
    await makeKeys(world);
    await signIn(page, world.main, world.looks);
    await see(page, 'nightly report');
    await page.getByRole('button', { name: /^End warehouse/ }).click();
    await see(page, 'What uses this key stops working at once.');
  },
  'account-keys-new': async (page, world) => {
    await signIn(page, world.main, ROOT);
    await page.goto(`${world.main.url}/dash/account`);
    await press(page, 'Make an API key');
    await page.getByRole('form', { name: 'Make an API key' }).waitFor();
    await page.getByText('Beside records').click();
    await page.getByLabel('Addresses (optional)').fill('localhost');
    await page.getByLabel('Name', { exact: true }).fill('backup of the archive, every night');
    await page.getByLabel('Read', { exact: true }).first().check();
    await page.keyboard.press('Enter');
    await see(page, /^Must be an address or a network/);
  },
  'account-keys-shown': async (page, world) => {
    await makeKeys(world);
    await signIn(page, world.main, world.looks);
    await page.getByRole('button', { name: /^Replace nightly report/ }).click();
    await page.getByLabel('Hours that the old key goes on').fill('1');
    await page.keyboard.press('Enter');
    await provePassword(page, world.looks.password);
    await page.getByLabel('The key').waitFor();
    await press(page, 'Copy the key');
    await see(page, /^Copied|did not let this page/);
  },
  'account-keys-replace': async (page, world) => {
    await makeKeys(world);
    await signIn(page, world.main, world.looks);
    await page.getByRole('button', { name: /^Replace warehouse/ }).click();
    await page.getByLabel('Hours that the old key goes on').waitFor();
  },
  'service-accounts': async (page, world) => {
    const name = await makeProgram(world);
    await signIn(page, world.main, ROOT);
    await page.goto(`${world.main.url}/dash/service-accounts`);
    await page.getByRole('button', { name: `Keys of ${name}` }).click();
    await see(page, 'may do: everything that its account may');
    await press(page, 'Make an account');
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
  await tabTo(page, 'I have copied it');
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
