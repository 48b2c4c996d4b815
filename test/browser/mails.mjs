import assert from 'node:assert/strict';
import { assertCleanAddress, fillAccount, fillNewPassword, press, see, seeHeading, signIn } from './support/pages.mjs';

const NEW_PASSWORD = 'quiet harbour 92';
const SPENT = 'This link or code is no longer valid.';

export const mailScenarios = {
  'mail: registers and activates by the link; opening the link does not consume it': async (world) => {
    const person = world.newPerson();
    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await fillAccount(page, { ...person, password: 'password1' });
    await press(page, 'Create account');
    await see(page, 'This password is among the most common ones.');
    await fillAccount(page, person);
    await press(page, 'Create account');
    const [link] = (await world.mailbox.mailTo(person.email)).links;
    for (const method of ['GET', 'HEAD', 'GET']) assert.equal((await fetch(link, { method })).status, 200);

    const reader = await world.visitor();
    await reader.page.goto(link);
    await seeHeading(reader.page, 'Activate your account');
    assertCleanAddress(reader.page, '/auth/local/activate');
    await press(reader.page, 'Activate account');
    await seeHeading(reader.page, 'Your account is active');
    await signIn(page, world.main, person);

    await reader.page.goto('about:blank');
    await reader.page.goto(link);
    await press(reader.page, 'Activate account');
    await see(reader.page, SPENT);
    await reader.page.getByRole('button', { name: 'Send the activation e-mail again' }).waitFor();
    await reader.page.getByRole('link', { name: 'Already active? Sign in' }).click();
    await seeHeading(reader.page, 'Sign in');
  },

  'mail: the recovery link sets a new password and revokes all sessions': async (world) => {
    const person = await world.person(world.main);
    const before = await world.visitor();
    await signIn(before.page, world.main, person);

    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('link', { name: /Forgot/ }).click();
    await page.getByLabel('E-mail', { exact: true }).fill(person.email);
    await press(page, 'Send e-mail');
    await seeHeading(page, 'Check your e-mail');
    const [link] = (await world.mailbox.mailTo(person.email, 2)).links;
    await page.goto(link);
    await seeHeading(page, 'Choose a new password');
    assertCleanAddress(page, '/auth/local/recover');
    await fillNewPassword(page, NEW_PASSWORD);
    await press(page, 'Save new password');
    await seeHeading(page, 'Your password has been changed');

    await press(before.page, 'Change e-mail address');
    await before.page.getByLabel('New e-mail address').fill('other@example.com');
    await before.page.getByLabel('Current password', { exact: true }).fill(person.password);
    await press(before.page, 'Change');
    await seeHeading(before.page, 'Sign in');
    await signIn(page, world.main, { ...person, password: NEW_PASSWORD });
    await page.goto('about:blank');
    await page.goto(link);
    await see(page, SPENT);
    assert.equal(await page.getByLabel('New password', { exact: true }).count(), 0);
    await press(page, 'Request a new link');
    await seeHeading(page, 'Forgot your password?');
  },

  'mail: a new address applies once it is confirmed': async (world) => {
    const person = await world.person(world.main);
    const newEmail = `new.${person.email}`;
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await askForAddress(page, newEmail, 'not the password');
    await see(page, 'This is not your current password.');
    await page.getByLabel('Current password', { exact: true }).fill(person.password);
    await press(page, 'Change');
    await see(page, `We have sent a link to ${newEmail}.`);

    const reader = await world.visitor();
    const [link] = (await world.mailbox.mailTo(newEmail)).links;
    await reader.page.goto(link);
    assertCleanAddress(reader.page, '/auth/local/email/confirm');
    await press(reader.page, 'Confirm new address');
    await seeHeading(reader.page, 'Your e-mail address has been changed');
    await signIn(reader.page, world.main, { ...person, email: newEmail });
  },

  'mail: the old address cancels a change of address and revokes all sessions': async (world) => {
    const person = await world.person(world.main);
    const newEmail = `thief.${person.email}`;
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await askForAddress(page, newEmail, person.password);
    await see(page, `We have sent a link to ${newEmail}.`);

    const reader = await world.visitor();
    const { links } = await world.mailbox.mailTo(person.email, 2);
    await reader.page.goto(links.find((link) => link.includes('/auth/local/email/cancel')));
    assertCleanAddress(reader.page, '/auth/local/email/cancel');
    await press(reader.page, 'Cancel the change');
    await seeHeading(reader.page, 'The change was cancelled');
    const [confirm] = (await world.mailbox.mailTo(newEmail)).links;
    await reader.page.goto(confirm);
    await press(reader.page, 'Confirm new address');
    await see(reader.page, SPENT);
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await signIn(page, world.main, person);
    await see(page, person.email);
  },
};

async function askForAddress(page, email, password) {
  await press(page, 'Change e-mail address');
  await page.getByLabel('New e-mail address').fill(email);
  await page.getByLabel('Current password', { exact: true }).fill(password);
  await press(page, 'Change');
}
