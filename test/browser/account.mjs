import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import {
  assertCleanAddress,
  fillNewPassword,
  focused,
  press,
  see,
  seeHeading,
  signIn,
  signInByProvider,
} from './support/pages.mjs';

export const accountScenarios = {
  'account: revokes one session, and all other sessions': async (world) => {
    const person = await world.person(world.main);
    const [one, two, three] = [await world.visitor(), await world.visitor(), await world.visitor()];
    for (const { page } of [one, two, three]) await signIn(page, world.main, person);
    const { page } = three;
    await page
      .getByRole('button', { name: /^Sign out Chrome on / })
      .first()
      .click();
    await see(page, 'The session was signed out.');
    await press(page, 'Sign out all other sessions');
    await page
      .getByRole('button', { name: /^Sign out Chrome on / })
      .first()
      .waitFor({ state: 'detached' });
    await see(page, 'This session');
    for (const other of [one, two]) {
      await press(other.page, 'Change e-mail address');
      await other.page.getByLabel('New e-mail address').fill('other@example.com');
      await other.page.getByLabel('Current password', { exact: true }).fill(person.password);
      await press(other.page, 'Change');
      await seeHeading(other.page, 'Sign in');
    }
  },

  'account: links a provider, signs in with it and removes it': async (world) => {
    const person = await world.person(world.main);
    world.provider.meet();
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await press(page, 'Link Acme');
    await page.getByLabel('Current password', { exact: true }).fill('a wrong password');
    await press(page, 'Link Acme');
    await see(page, 'This is not your current password.');
    await confirmLink(page, person);
    await see(page, 'Acme is now linked to your account.');
    assertCleanAddress(page, '/dash/account');
    await press(page, 'Sign out');
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await seeHeading(page, 'Your account');
    assertCleanAddress(page, '/dash/account');
    await see(page, `Signed in as ${person.username}.`);
    await press(page, 'Remove Acme');
    await see(page, 'The provider was unlinked.');
    await page.getByRole('button', { name: 'Link Acme' }).waitFor();

    // The earlier message is gone, and the language of the page is kept.
    await page.goto(`${world.main.url}/dash/account?lang=de`);
    await seeHeading(page, 'Ihr Konto');
    await press(page, 'Acme verknüpfen');
    await page.getByLabel('Jetziges Passwort', { exact: true }).fill(person.password);
    await press(page, 'Acme verknüpfen');
    await see(page, 'Acme ist jetzt mit Ihrem Konto verknüpft.');
    await press(page, 'Acme entfernen');
    await see(page, 'Die Verknüpfung wurde entfernt.');
    assert.equal(await page.getByText('Acme ist jetzt mit Ihrem Konto verknüpft.').count(), 0);
    await press(page, 'Abmelden');
  },

  'account: refuses a provider account that is linked to another user': async (world) => {
    const person = await world.person(world.main);
    world.provider.meet();
    const owner = await world.visitor();
    await signInByProvider(owner.page, world.main);
    await seeHeading(owner.page, 'Your account');
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await linkAcme(page, person);
    await see(page, 'This provider account is already linked to another account.');
    assertCleanAddress(page, '/dash/account');
    await see(page, `Signed in as ${person.username}.`);
  },

  'account: linking sends a mail; a password reset lists linked providers and removes them': async (world) => {
    const person = await world.person(world.main);
    const { email } = world.provider.meet();
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await linkAcme(page, person);
    await see(page, 'Acme is now linked to your account.');
    assert.match((await world.mailbox.mailTo(person.email, 2)).text, /acme/i);

    const choice = () => page.getByRole('checkbox', { name: `Acme (${email})` });
    await openReset(page, world, person);
    await choice().waitFor();
    assert.equal(await choice().isChecked(), false);
    await fillNewPassword(page, 'quiet harbour 92');
    await press(page, 'Save new password');
    await seeHeading(page, 'Your password has been changed');
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await see(page, `Signed in as ${person.username}.`);

    await openReset(page, world, person);
    await choice().check();
    await fillNewPassword(page, 'quiet harbour 93');
    await press(page, 'Save new password');
    await seeHeading(page, 'Your password has been changed');
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await see(page, `Signed in as ${email}.`);
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await signIn(page, world.main, { ...person, password: 'quiet harbour 93' });
    await page.getByRole('button', { name: 'Link Acme' }).waitFor();
    await openReset(page, world, person);
    await page.getByLabel('New password', { exact: true }).waitFor();
    assert.equal(await page.getByRole('checkbox').count(), 0);
  },

  'account: without a password, the provider confirms the user before an API key is created': async (world) => {
    const person = world.provider.meet();
    const { page } = await world.visitor();
    await signInByProvider(page, world.main);
    await seeHeading(page, 'Your account');
    const makeKey = async () => {
      await press(page, 'Create an API key');
      const form = page.getByRole('form', { name: 'Create an API key' });
      await form.getByLabel('Name', { exact: true }).fill('nightly');
      await form.getByLabel('All your permissions').check();
      await form.getByRole('button', { name: 'Create an API key' }).click();
    };
    const dialog = page.getByRole('dialog', { name: 'Confirm your identity' });
    const leave = async () => {
      await makeKey();
      await dialog.getByRole('button', { name: 'Continue with Acme' }).click();
      // The provider asks for a sign-in again, although its session exists.
      await press(page, 'Continue as Ada');
    };
    await makeKey();
    await dialog.getByRole('button', { name: 'Continue with Acme' }).waitFor();
    assert.equal(await focused(page), 'Continue with Acme');
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'account-provider-proof')), []);
    await page.setViewportSize(SIZES.wide);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.reload();

    // Another account at the provider confirms nothing and does not sign in here.
    world.provider.meet();
    await leave();
    await see(page, 'This provider account is not linked to your account.');
    assertCleanAddress(page, '/dash/account');
    world.provider.person = person;
    await leave();
    await see(page, 'Acme has confirmed your identity.');
    assertCleanAddress(page, '/dash/account');
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'account-proven')), []);
    await page.setViewportSize(SIZES.wide);
    await makeKey();
    await page.getByRole('group', { name: /nightly/ }).waitFor();
    assert.equal(await dialog.count(), 0);
  },

  'account: the only sign-in method cannot be removed': async (world) => {
    world.provider.meet();
    const { page } = await world.visitor();
    await signInByProvider(page, world.main);
    await press(page, 'Remove Acme');
    await see(page, 'This is your only sign-in method, so it cannot be removed.');
  },
};

async function linkAcme(page, person) {
  await press(page, 'Link Acme');
  await confirmLink(page, person);
}

async function confirmLink(page, { password }) {
  await page.getByLabel('Current password', { exact: true }).fill(password);
  await press(page, 'Link Acme');
  await press(page, 'Continue as Ada');
}

async function openReset(page, { main, mailbox }, { email }) {
  const count = mailbox.countTo(email);
  await main.post('/api/auth/local/recover', { email });
  let mail = await mailbox.mailTo(email, count + 1);
  // Another mail may have arrived first.
  if (!mail.links.some((link) => link.includes('/auth/local/recover'))) mail = await mailbox.mailTo(email, count + 2);
  await page.goto('about:blank');
  await page.goto(mail.links.find((link) => link.includes('/auth/local/recover')));
}
