import assert from 'node:assert/strict';
import { generateSync } from 'otplib/functional';
import { asksForProof, focused, press, provePassword, see, seeHeading, signIn, tabTo } from './support/pages.mjs';

const CLIPBOARD = ['clipboard-read', 'clipboard-write'];
const STEP_S = 30;
const section = (page) => page.getByRole('region', { name: 'Second factor' });

export const secondFactorScenarios = {
  'second factor: an authenticator app is added, used, and replaced by a recovery code, by keyboard': async (world) => {
    const { main, mailbox } = world;
    const person = await world.person(main);
    const { page } = await world.visitor({ permissions: CLIPBOARD });
    await signIn(page, main, person);
    await see(page, 'You have no second factor.');
    await tabTo(page, 'Add an authenticator app');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Name');
    await page.keyboard.type('My phone');
    const mails = mailbox.countTo(person.email);
    await page.keyboard.press('Enter');
    await provePassword(page, person.password);
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    world.secrets.add(secret);
    assert.equal(await focused(page), 'Code from your app');
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await see(page, 'The code is wrong, has expired, or was already used.');
    await page.keyboard.press('Control+A');
    // With a space, as apps show codes.
    await page.keyboard.type(codeOf(secret, -1).replace(/(...)/, '$1 '));
    await page.keyboard.press('Enter');
    await see(page, 'From now on, you need a code of this app to sign in.');
    assert.match((await mailbox.mailTo(person.email, mails + 1)).text, /authenticator|second factor/i);
    const codes = await takeCodes(page, world);
    assert.equal(await focused(page), 'Second factor');
    const [row] = await section(page).getByRole('listitem').allInnerTexts();
    assert.match(row, /^My phone\nadded .* · (never used|last used )/);
    await see(page, '10 recovery codes remaining.');

    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await fillIn(page, person);
    await seeHeading(page, 'One more step');
    assert.equal(await focused(page), 'Code from your app');
    await page.keyboard.press('Enter');
    await page.keyboard.type('123456');
    await page.keyboard.press('Enter');
    await see(page, 'The code is wrong, has expired, or was already used. Wait for the next code.');
    assert.equal(await focused(page), 'Code from your app');
    // An incomplete sign-in is not kept.
    await page.reload();
    await seeHeading(page, 'Sign in');
    await fillIn(page, person);
    await seeHeading(page, 'One more step');
    await tabTo(page, 'Use a recovery code');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Recovery code');
    await page.keyboard.type('aaaa-bbbb-cccc-dddd');
    await page.keyboard.press('Enter');
    await see(page, 'The recovery code is wrong or was already used.');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(codes[3].toLowerCase());
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Your account');
    // After a recovery code, the rest of the account page stays locked until a new or the old factor is used.
    await see(page, 'Add a second factor on your account page.');
    await see(page, '9 recovery codes remaining.');
    assert.equal(await page.getByRole('region', { name: 'Sessions' }).count(), 0);
    await tabTo(page, 'Use your authenticator app');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Code from your app').waitFor();
    assert.equal(await focused(page), 'Code from your app');
    await page.keyboard.type(codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Sessions' }).waitFor();
  },

  'second factor: is required after a mailed code, confirms the user, and is removed': async (world) => {
    const { main, mailbox } = world;
    const person = await world.person(main);
    const { page } = await world.visitor();
    await signIn(page, main, person);
    const secret = await addApp(page, world, person);
    await takeCodes(page, world, { copies: false });
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await page.getByText('With a code', { exact: true }).click();
    const mails = mailbox.countTo(person.email);
    await page.getByLabel('E-mail', { exact: true }).fill(person.email);
    await page.keyboard.press('Enter');
    const { codes } = await mailbox.mailTo(person.email, mails + 1);
    await page.getByLabel('Code from the e-mail', { exact: true }).fill(codes[0]);
    await page.keyboard.press('Enter');
    await seeHeading(page, 'One more step');
    await press(page, 'Start again');
    await seeHeading(page, 'Sign in');
    await fillIn(page, person);
    await page.getByLabel('Code from your app').fill(codeOf(secret, 0));
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Your account');

    await asksForProof(page, '**/api/auth/mfa/recovery-codes');
    await press(page, 'Create new recovery codes');
    await see(page, 'Your current codes are revoked.');
    await press(page, 'Create new codes');
    const dialog = page.getByRole('dialog', { name: 'Confirm your identity' });
    await dialog.getByLabel('Code from your app').waitFor();
    assert.equal(await focused(page), 'Code from your app');
    await page.keyboard.type(codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await takeCodes(page, world, { copies: false });
    assert.equal(await dialog.count(), 0);

    await press(page, 'Remove Phone');
    await see(page, 'Sign-in no longer requires this factor.');
    await press(page, 'Remove');
    await see(page, 'The second factor was removed. We have notified you by e-mail.');
    await see(page, 'You have no second factor.');
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await fillIn(page, person);
    await seeHeading(page, 'Your account');
  },

  'second factor: a remembered browser does not ask again until it is forgotten': async (world) => {
    const { main } = world;
    const person = await world.person(main);
    const { page } = await world.visitor();
    await signIn(page, main, person);
    const secret = await addApp(page, world, person);
    await takeCodes(page, world, { copies: false });
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await fillIn(page, person);
    await seeHeading(page, 'One more step');
    assert.equal(await focused(page), 'Code from your app');
    await page.keyboard.type(codeOf(secret, 0));
    await tabTo(page, 'Do not ask again in this browser for 30 days');
    await page.keyboard.press('Space');
    await world.picture('remember');
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Your account');
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await fillIn(page, person);
    await seeHeading(page, 'Your account');
    const devices = page.getByRole('list', { name: 'Browsers that do not need your second factor:' });
    await devices.getByText('this browser').waitFor();
    await devices.scrollIntoViewIfNeeded();
    await world.picture('remembered');
    // Another browser is asked. A recovery code cannot make it a remembered device.
    const { page: other } = await world.visitor();
    await other.goto(`${main.url}/dash/login`);
    await fillIn(other, person);
    await seeHeading(other, 'One more step');
    await other.getByLabel('Do not ask again in this browser for 30 days').waitFor();
    await press(other, 'Use a recovery code');
    await other.getByLabel('Recovery code').waitFor();
    assert.equal(await other.getByRole('checkbox').count(), 0);

    await devices.getByRole('button').click();
    await see(page, 'The browser needs your second factor again.');
    assert.equal(await devices.count(), 0);
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await fillIn(page, person);
    await seeHeading(page, 'One more step');
  },

  'second factor: a required factor is added during the sign-in': async (world) => {
    const service = await world.start({ AUTH_ENABLE_REFRESH_TOKEN: 'true' });
    const person = await world.person(service);
    await demandFactors(service);
    const { page } = await world.visitor();
    await page.goto(`${service.url}/dash/login`);
    await fillIn(page, person);
    await seeHeading(page, 'Add a second factor');
    assert.equal(await focused(page), 'Add a passkey');
    await tabTo(page, 'Add an authenticator app');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Name');
    await page.keyboard.type('Phone');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await world.picture('enrolment');
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    world.secrets.add(secret);
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await see(page, 'The code is wrong, has expired, or was already used.');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(codeOf(secret, 0));
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Your account');
    await page.getByRole('region', { name: 'Sessions' }).waitFor();
    await page.reload();
    await seeHeading(page, 'Your account');
    await see(page, 'You have no recovery codes');
  },
};

/** Requires a second factor for the role `user`, which everyone has. */
export async function demandFactors(service) {
  const account = { email: 'head@example.com', password: 'sturdy walnut 47' };
  await service.run('dist/program/cli.js', 'admin:create', '--email', account.email, '--password', account.password);
  const { token } = await service.post('/api/auth/local/login', { login: account.email, password: account.password });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const roles = await (await fetch(`${service.url}/api/content/roles`, { headers })).json();
  const { id } = roles.data.items.find(({ name }) => name === 'user');
  const body = JSON.stringify({ mfa: 'required' });
  const answer = await fetch(`${service.url}/api/content/roles/${id}`, { method: 'PATCH', headers, body });
  assert.equal(answer.status, 200);
}

function codeOf(secret, steps) {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * STEP_S });
}

async function fillIn(page, person) {
  await page.getByLabel('User name or e-mail').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.keyboard.press('Enter');
}

export async function addApp(page, world, { password }) {
  await press(page, 'Add an authenticator app');
  await page.getByLabel('Name', { exact: true }).fill('Phone');
  await press(page, 'Continue');
  await provePassword(page, password);
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  world.secrets.add(secret);
  await page.getByLabel('Code from your app').fill(codeOf(secret, -1));
  await page.keyboard.press('Enter');
  await see(page, 'From now on, you need a code of this app to sign in.');
  return secret;
}

async function takeCodes(page, world, { copies = true } = {}) {
  const list = page.getByRole('list', { name: 'Recovery codes' });
  await list.waitFor();
  const codes = await list.getByRole('listitem').allInnerTexts();
  for (const code of codes) world.secrets.add(code);
  assert.equal(new Set(codes).size, 10);
  assert.equal(await focused(page), 'Print');
  if (copies) {
    await press(page, 'Copy');
    await see(page, 'Copied.');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), codes.join('\n'));
  }
  await press(page, 'I have saved the codes');
  await list.waitFor({ state: 'detached' });
  return codes;
}
