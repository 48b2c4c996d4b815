import assert from 'node:assert/strict';
import { join } from 'node:path';
import { generateSync } from 'otplib/functional';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { assertCleanAddress, fillNewPassword, press, see, seeHeading, signIn } from './support/pages.mjs';

const PASSWORDS = ['quiet harbour 92', 'quiet harbour 93'];
const SPENT = 'This link or code is no longer valid.';

export const recoveryScenarios = {
  'recovery: a new password revokes the chosen kinds and keeps others; old factors need a recovery code': async (
    world,
  ) => {
    const { main } = world;
    const person = await world.person(main);
    const ask = await asking(world, person);
    const app = await addApp(world, ask, person);
    const key = await addKey(world, ask, person, 'nightly');
    await ask('POST', '/api/auth/keys', { name: 'other', expires_in_days: 30, current_password: person.password });
    const { page } = await world.visitor();

    // Nothing is selected, so everything is kept.
    await openReset(page, world, person);
    await page.getByRole('group', { name: /^Your account also has other credentials/ }).waitFor();
    for (const name of [/^Remove all authenticator apps.*Phone/s, /^Revoke all API keys.*nightly.*other/s])
      assert.equal(await page.getByRole('checkbox', { name }).isChecked(), false);
    for (const absent of [/providers/, /passkeys/])
      assert.equal(await page.getByRole('checkbox', { name: absent }).count(), 0);
    assert.equal(await page.getByLabel('Recovery code (optional)').count(), 0);
    await choose(page, 'Remove all authenticator apps');
    await page.getByLabel('Recovery code (optional)').waitFor();
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'recover-choices')), []);
    await page.setViewportSize(SIZES.wide);
    await page.getByRole('checkbox', { name: /^Remove all authenticator apps/ }).uncheck();
    await savePassword(page, PASSWORDS[0]);
    assert.equal(await statusOf(world, key), 403);
    await fillSignIn(page, world, person, PASSWORDS[0]);
    await seeHeading(page, 'One more step');

    // The app is old. Without proof its removal waits. A wrong code is reported at its field; a right one removes the app immediately.
    await main.sql(`UPDATE totp_factors SET created_at = created_at - interval '30 days' WHERE id = '${app.id}'`);
    await openReset(page, world, person);
    await choose(page, 'Remove all authenticator apps');
    await choose(page, 'Revoke all API keys');
    await page.getByLabel('Recovery code (optional)').fill('aaaa-bbbb-cccc-dddd');
    await fillNewPassword(page, PASSWORDS[1]);
    await press(page, 'Save new password');
    await see(page, 'The recovery code is wrong or was already used.');
    assert.equal(await statusOf(world, key), 403);
    await page.getByLabel('Recovery code (optional)').fill('');
    await press(page, 'Save new password');
    await seeHeading(page, 'Your password has been changed');
    await see(page, /Older passkeys and authenticator apps are removed at/);
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'recover-waiting')), []);
    await page.setViewportSize(SIZES.wide);
    assert.equal(await statusOf(world, key), 401);
    await fillSignIn(page, world, person, PASSWORDS[1]);
    await seeHeading(page, 'One more step');
    await openReset(page, world, person);
    await choose(page, 'Remove all authenticator apps');
    assert.equal(await page.getByRole('checkbox', { name: /API keys/ }).count(), 0);
    await page.getByLabel('Recovery code (optional)').fill(app.codes[0].toLowerCase());
    await savePassword(page, person.password);
    await signIn(page, main, person);
  },

  'recovery: the mail about a new credential revokes it once and revokes all sessions': async (world) => {
    const { main, mailbox } = world;
    const person = await world.person(main);
    const ask = await asking(world, person);
    const owner = await world.visitor();
    await signIn(owner.page, main, person);
    const mails = mailbox.countTo(person.email);
    const key = await addKey(world, ask, person, 'of a thief');
    const link = await linkIn(mailbox, person.email, mails, '/auth/credentials/revoke');
    // Mail scanners open links, so opening alone revokes nothing.
    for (const method of ['GET', 'HEAD']) assert.equal((await fetch(link, { method })).status, 200);

    const { page } = await world.visitor();
    await page.goto(link);
    await seeHeading(page, 'Revoke the new credential?');
    assertCleanAddress(page, '/auth/credentials/revoke');
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'credential-revoke')), []);
    await page.setViewportSize(SIZES.wide);
    assert.equal(await statusOf(world, key), 403);
    await press(page, 'Revoke');
    await seeHeading(page, 'The credential was revoked');
    assert.equal(await statusOf(world, key), 401);
    await page.getByRole('link', { name: 'choose a new one' }).click();
    await seeHeading(page, 'Forgot your password?');
    await owner.page.reload();
    await seeHeading(owner.page, 'Sign in');

    await page.goto('about:blank');
    await page.goto(link);
    await press(page, 'Revoke');
    await see(page, SPENT);
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await seeHeading(page, 'Sign in');
    await page.goto(`${main.url}/auth/credentials/revoke`);
    await page.getByRole('link', { name: 'Go to sign-in' }).waitFor();
  },
};

async function asking({ main }, { email, password }) {
  const { token } = await main.post('/api/auth/local/login', { login: email, password });
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const answer = await fetch(main.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text}`);
    return JSON.parse(text).data;
  };
}

async function addApp({ secrets }, ask, { password }) {
  const { id, secret } = await ask('POST', '/api/auth/mfa/totp', { name: 'Phone', current_password: password });
  secrets.add(secret);
  const code = generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) });
  await ask('POST', '/api/auth/mfa/totp/confirm', { id, code });
  const codes = await ask('POST', '/api/auth/mfa/recovery-codes');
  for (const one of codes) secrets.add(one);
  return { id, codes };
}

async function addKey({ secrets }, ask, { password }, name) {
  const { key } = await ask('POST', '/api/auth/keys', { name, expires_in_days: 30, current_password: password });
  secrets.add(key);
  return key;
}

/** Returns the status of a request with a key: 403 while it is valid, because a key cannot read the account. */
async function statusOf({ main }, key) {
  return (await fetch(`${main.url}/api/auth/me`, { headers: { authorization: `Bearer ${key}` } })).status;
}

async function openReset(page, { main, mailbox }, { email }) {
  const count = mailbox.countTo(email);
  await main.post('/api/auth/local/recover', { email });
  await page.goto('about:blank');
  await page.goto(await linkIn(mailbox, email, count, '/auth/local/recover'));
  await page.getByLabel('New password', { exact: true }).waitFor();
}

/** Returns a link from the mails after the first `count`. Other mails may arrive first. */
async function linkIn(mailbox, email, count, path) {
  for (let number = count + 1; ; number += 1) {
    const { links } = await mailbox.mailTo(email, number);
    const link = links.find((one) => one.includes(path));
    if (link !== undefined) return link;
  }
}

async function choose(page, name) {
  await page.getByRole('checkbox', { name: new RegExp(`^${name}`) }).check();
}

async function savePassword(page, password) {
  await fillNewPassword(page, password);
  await press(page, 'Save new password');
  await seeHeading(page, 'Your password has been changed');
}

async function fillSignIn(page, { main }, { email }, password) {
  await page.goto(`${main.url}/dash/login`);
  await page.getByLabel('User name or e-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}
