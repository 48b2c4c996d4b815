import assert from 'node:assert/strict';
import { fillNewPassword, focused, press, see, seeHeading, signIn, tabTo } from './support/pages.mjs';

export const accountFormScenarios = {
  'account: changes the user name; an error is shown at its field and keeps the input': async (world) => {
    const [person, other] = [await world.person(world.main), await world.person(world.main)];
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await press(page, 'Change name, user name or language');
    assert.equal(await focused(page), 'First name');
    await page.getByLabel('First name').fill('  Ann-Sofie ');
    await page.getByLabel('Last name').fill('Ångström');
    await page.getByLabel('User name (optional)').fill(other.username.toUpperCase());
    await press(page, 'Save');
    await see(page, 'This user name is already in use. Choose another.');
    assert.equal(await focused(page), 'User name (optional)');
    assert.equal(await page.getByLabel('Last name').inputValue(), 'Ångström');
    await page.getByLabel('User name (optional)').fill('ann@example.com');
    await press(page, 'Save');
    await page.getByLabel('User name (optional)').and(page.locator('[aria-invalid="true"]')).waitFor();
    await page.getByLabel('User name (optional)').fill(`${person.username}-ann`);
    await press(page, 'Save');
    await see(page, 'Your profile was saved.');
    await see(page, 'Ann-Sofie Ångström');
    await see(page, `Signed in as ${person.username}-ann.`);
    assert.equal(await focused(page), 'Profile');
    // Only changed fields are sent: an emptied field is null, the others stay.
    await press(page, 'Change name, user name or language');
    await page.getByLabel('Last name').fill('');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await press(page, 'Save');
    assert.deepEqual((await sent).postDataJSON(), { last_name: null });
    await page.getByText('Ann-Sofie', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Ann-Sofie', { exact: true }).waitFor();
    await press(page, 'Change name, user name or language');
    await page.getByLabel('First name').fill('never saved');
    await press(page, 'Cancel');
    assert.equal(await focused(page), 'Change name, user name or language');
    await page.getByText('Ann-Sofie', { exact: true }).waitFor();
  },

  'account: changes the password by keyboard; shows its strength and the sessions that will be revoked': async (
    world,
  ) => {
    const person = await world.person(world.main);
    const [here, there] = [await world.visitor(), await world.visitor()];
    for (const { page } of [here, there]) await signIn(page, world.main, person);
    const { page } = here;
    const mails = world.mailbox.countTo(person.email);
    await see(page, 'Changing the password signs out all other sessions.');
    await tabTo(page, 'Change password');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Current password');
    await page.keyboard.type('not my password');
    await tabTo(page, 'New password');
    for (const [typed, worth] of [
      ['short', 'Too short: 3 more characters'],
      ['sunshine', 'Too common: not allowed'],
      [`${person.username}${person.username}`, 'Weak: easy to guess'],
      ['violet lantern over 9 docks', 'Strong'],
    ]) {
      await page.keyboard.press('Control+A');
      await page.keyboard.type(typed);
      await page.getByRole('status').filter({ hasText: worth }).waitFor();
    }
    await tabTo(page, 'Repeat new password');
    await page.keyboard.type('violet lantern over 9 doors');
    await page.keyboard.press('Enter');
    await see(page, 'The passwords do not match.');
    assert.equal(await focused(page), 'Repeat new password');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('violet lantern over 9 docks');
    await page.keyboard.press('Enter');
    await see(page, 'This is not your current password.');
    assert.equal(await focused(page), 'Current password');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');
    await see(page, 'Your password was changed, and all other sessions were signed out.');
    assert.equal(await focused(page), 'Password');
    await page.getByRole('button', { name: /^Sign out Chrome on / }).waitFor({ state: 'detached' });
    assert.match((await world.mailbox.mailTo(person.email, mails + 1)).text, /password/i);
    await there.page.reload();
    await seeHeading(there.page, 'Sign in');
    await page.reload();
    await seeHeading(page, 'Your account');
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    await signIn(page, world.main, { ...person, password: 'violet lantern over 9 docks' });
  },

  'account: a rejected password is reported at its field': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    await page.route('**/assets/strength-estimate-*', (route) => route.abort('aborted'));
    await signIn(page, world.main, person);
    await press(page, 'Change password');
    await page.getByLabel('Current password', { exact: true }).fill(person.password);
    await fillNewPassword(page, 'sunshine');
    await page.getByRole('form', { name: 'Change password' }).getByRole('button', { name: 'Change password' }).click();
    await see(page, 'This password is among the most common ones. Choose another.');
    assert.equal(await focused(page), 'New password');
  },

  'account: sessions are described in words, the current one first': async (world) => {
    const person = await world.person(world.main);
    const login = { login: person.email, password: person.password };
    await fetch(`${world.main.url}/api/auth/local/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'curl/8.5.0' },
      body: JSON.stringify(login),
    });
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    const rows = page.getByRole('region', { name: 'Sessions' }).getByRole('listitem');
    await rows.nth(1).waitFor();
    const [mine, script] = await rows.allInnerTexts();
    assert.match(
      mine,
      /^Chrome on Linux\nlast used just now · [\d.:]+\nsigned in just now with a password\s+This session$/,
    );
    assert.match(script, /^Program \(curl\)\n/);
    assert.match(await rows.first().getByText('just now').first().getAttribute('title'), /^\d+ \w+ 20\d\d, \d\d:\d\d$/);
  },

  'account: the page has no layout shift': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor({ viewport: { width: 360, height: 740 } });
    await signIn(page, world.main, person);
    await page.addInitScript(() => {
      globalThis.moved = [];
      new PerformanceObserver((list) => globalThis.moved.push(...list.getEntries())).observe({
        type: 'layout-shift',
        buffered: true,
      });
    });
    // The sections load one after another, as on a slow line.
    for (const [index, path] of ['sessions', 'keys', 'identities', 'methods', 'me'].entries()) {
      await page.route(`**/api/auth/${path}`, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 150 * (index + 1)));
        await route.continue();
      });
    }
    await page.reload();
    await see(page, 'This session');
    await page.waitForTimeout(300);
    const moved = await page.evaluate(() => globalThis.moved.reduce((sum, { value }) => sum + value, 0));
    assert.ok(moved < 0.02, `moved by ${moved}`);
    // Typing a password does not shift the layout either.
    await press(page, 'Change password');
    const repeat = page.getByLabel('Repeat new password', { exact: true });
    const before = await repeat.boundingBox();
    await page.getByLabel('New password', { exact: true }).fill('violet lantern over 9 docks');
    await page.getByRole('status').filter({ hasText: 'Strong' }).waitFor();
    assert.deepEqual(await repeat.boundingBox(), before);
  },
};
