import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { assertCleanAddress, focused, see, seeHeading, signIn, tabTo } from './support/pages.mjs';
import { PASSWORD } from './support/world.mjs';

export const accountDeletionScenarios = {
  'account deletion: downloads the data and deletes the account by keyboard': async (world) => {
    const person = await world.person(world.main);
    const visitor = await world.visitor();
    const { page } = visitor;
    await signIn(page, world.main, person);
    const second = await visitor.newPage();
    await second.goto(`${world.main.url}/dash/account`);
    await seeHeading(second, 'Your account');

    await tabTo(page, 'Download your data');
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    assert.equal(download.suggestedFilename(), 'account.json');
    const data = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.equal(data.account.email, person.email);
    assert.equal(data.sessions.length, 1);
    await see(page, 'The file is in your downloads.');
    assert.equal(await focused(page), 'Your data');

    await tabTo(page, 'Delete your account');
    await page.keyboard.press('Enter');
    await see(page, 'You are signed out on all devices and can no longer sign in.');
    await see(page, 'You have no records.');
    assert.equal(await focused(page), `Type ${person.username} to confirm`);
    await page.keyboard.type('somebody else');
    await page.keyboard.press('Enter');
    await see(page, `This is not ${person.username}.`);
    await see(page, 'Enter your current password.');
    assert.equal(await focused(page), `Type ${person.username} to confirm`);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(person.username);
    await tabTo(page, 'Current password');
    await page.keyboard.type('not my password');
    await page.keyboard.press('Enter');
    await see(page, 'This is not your current password.');
    assert.equal(await focused(page), 'Current password');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(person.password);
    const mails = world.mailbox.countTo(person.email);
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Sign in');
    await see(page, 'Your account was deleted.');
    await seeHeading(second, 'Sign in');
    assert.deepEqual(await page.context().cookies(), []);
    assert.match((await world.mailbox.mailTo(person.email, mails + 1)).text, /was deleted at your request/);
    await page.getByLabel('User name or e-mail').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await page.keyboard.press('Enter');
    await see(page, 'The user name, e-mail address or password is wrong.');
  },

  'invitation: an invited user chooses a password and signs in': async (world) => {
    const { main, mailbox } = world;
    const login = { login: 'root@example.com', password: PASSWORD };
    const { token } = await main.post('/api/auth/local/login', login);
    const email = 'invited@example.com';
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const body = JSON.stringify({ email, invite: true });
    const made = await fetch(`${main.url}/api/content/users`, { method: 'POST', headers, body });
    assert.equal(made.status, 201);
    const [link] = (await mailbox.mailTo(email)).links;
    const { page } = await world.visitor();
    await page.goto(link);
    await seeHeading(page, 'Welcome to Harbour & Sons');
    assertCleanAddress(page, '/dash/invitation');
    assert.equal(await focused(page), 'Password');
    await page.keyboard.type('violet lantern over 9 docks');
    await tabTo(page, 'Repeat password');
    await page.keyboard.type('violet lantern over 9 docks');
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Your account is ready');
    await signIn(page, main, { email, password: 'violet lantern over 9 docks' });
    await see(page, `Signed in as ${email}.`);
    await page.goto('about:blank');
    await page.goto(link);
    await see(page, 'This invitation is no longer valid');
  },

  'account deletion: cancelling the deletion returns to the account page': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await page.getByRole('button', { name: 'Delete your account' }).click();
    await page.getByRole('form', { name: 'Delete your account' }).getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await focused(page), 'Delete your account');
    await page.reload();
    await seeHeading(page, 'Your account');
  },
};
