import assert from 'node:assert/strict';
import { generateSync } from 'otplib/functional';
import { checkAppearances } from './support/appearance-checks.mjs';
import { prepare, ROOT } from './support/appearance-fixture.mjs';
import { asksForProof, focused, press, see, seeHeading, signIn, tabTo } from './support/pages.mjs';

const section = (page, name) => page.getByRole('region', { name, exact: true });
const items = (page, name) => section(page, name).getByRole('listitem');

async function asking({ url }, { email, password }) {
  const ask = async (method, path, body, token) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: await answer.json() };
  };
  const { body } = await ask('POST', '/api/auth/local/login', { login: email, password });
  return (method, path, sent) => ask(method, path, sent, body.token);
}

async function equipped(world, service = world.main) {
  const person = await world.person(service);
  const ask = await asking(service, person);
  const { data } = (
    await ask('POST', '/api/auth/mfa/totp', {
      name: 'Old phone',
      current_password: person.password,
    })
  ).body;
  world.secrets.add(data.secret);
  await ask('POST', '/api/auth/mfa/totp/confirm', { id: data.id, code: generateSync({ secret: data.secret }) });
  const made = await ask('POST', '/api/auth/keys', { name: 'nightly', scopes: [{ resource: 'content.user.get' }] });
  world.secrets.add(made.body.data.key);
  return { person, ask };
}

async function open(page, { url }, name) {
  await page.goto(`${url}/dash/people`);
  await page.getByLabel('Search').fill(name);
  await page.getByRole('link', { name, exact: true }).click();
  await seeHeading(page, name);
}

async function accept(page, link) {
  await page.goto(link);
  const password = page.getByLabel('Password', { exact: true });
  await password.or(page.getByText('This invitation is no longer valid')).waitFor();
  if ((await password.count()) === 0) return;
  await password.fill(ROOT.password);
  await page.getByLabel('Repeat password', { exact: true }).fill(ROOT.password);
  await press(page, 'Accept the invitation');
}

export const userScenarios = {
  'users: a user is found, gets a role, is signed out, loses a factor and is deactivated': async (world) => {
    const { main, mailbox } = world;
    await prepare(world);
    const { person, ask } = await equipped(world);
    await main.post('/api/auth/otp/request', { email: person.email });
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Users' }).click();
    await seeHeading(page, 'Users');
    await page.getByLabel('Search').fill('nobody "%$ at all');
    await see(page, 'No users found for “nobody "%$ at all”.');
    await page.getByLabel('Search').fill(person.email.toUpperCase());
    await page.getByRole('link', { name: person.username, exact: true }).click();
    await seeHeading(page, person.username);
    assert.equal(await focused(page), person.username);

    // Role changes apply immediately.
    assert.equal((await ask('GET', '/api/settings')).status, 403);
    await section(page, 'Roles').getByLabel('admin', { exact: true }).check();
    await press(page, 'Save roles');
    await see(page, 'The roles were saved.');
    assert.equal(await focused(page), 'Roles');
    assert.equal((await ask('GET', '/api/settings')).status, 200);
    await section(page, 'Roles').getByLabel('admin', { exact: true }).uncheck();
    await press(page, 'Save roles');
    await page.getByRole('button', { name: 'Save roles' }).waitFor({ state: 'detached' });
    assert.equal((await ask('GET', '/api/settings')).status, 403);

    assert.match(await items(page, 'API keys').innerText(), /^nightly lin_pat_\w{4}…\nallowed: user: read/);
    await page.getByRole('button', { name: /^Revoke nightly/ }).click();
    assert.equal(await focused(page), 'Cancel');
    await press(page, 'Revoke now');
    await see(page, 'The key was revoked.');
    await see(page, 'This account has no API keys.');
    assert.deepEqual((await ask('GET', '/api/auth/keys')).body.data, []);

    // Removing a lost factor needs a fresh proof of the administrator.
    await see(page, 'Old phone');
    await asksForProof(page, '**/api/mfa/*');
    const mails = mailbox.countTo(person.email);
    await press(page, 'Remove all second factors…');
    await press(page, 'Remove');
    await page.getByLabel('Current password', { exact: true }).fill(ROOT.password);
    await page.keyboard.press('Enter');
    await see(page, 'The second factors were removed, and all sessions were signed out.');
    await see(page, 'This account has no second factor.');
    await see(page, 'No sessions.');
    assert.match((await mailbox.mailTo(person.email, mails + 1)).text, /removed all second factors/);
    assert.equal((await ask('GET', '/api/auth/me')).status, 401);

    // Deactivating and reactivating the account.
    await press(page, 'Deactivate the account');
    await press(page, 'Deactivate now');
    await see(page, 'The account was deactivated.');
    const { email: login, password } = person;
    const refused = await fetch(`${main.url}/api/auth/local/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ login, password }),
    });
    assert.equal((await refused.json()).data.error, 'account_inactive');
    await press(page, 'Activate the account');
    await see(page, 'The account was activated.');
    await main.post('/api/auth/local/login', { login, password });
  },

  'users: a scheduled removal of factors is shown and cancelled': async (world) => {
    const service = await world.start({ AUTH_MFA_RESET_DELAY: '3600' });
    await service.run('dist/program/cli.js', 'admin:create', '--email', ROOT.email, '--password', ROOT.password);
    const { person, ask } = await equipped(world, service);
    const { page } = await world.visitor();
    await signIn(page, service, ROOT);
    await open(page, service, person.username);
    await press(page, 'Remove all second factors…');
    await press(page, 'Remove');
    await see(page, 'The removal is scheduled');
    await see(page, /^The second factors will be removed on /);
    assert.equal(await page.getByRole('button', { name: 'Remove all second factors…' }).count(), 0);
    assert.equal(typeof (await ask('GET', '/api/auth/mfa')).body.data.reset_due_at, 'string');
    await press(page, 'Cancel the removal');
    await see(page, 'The removal was cancelled.');
    await page.getByRole('button', { name: 'Remove all second factors…' }).waitFor();
    assert.equal((await ask('GET', '/api/auth/mfa')).body.data.reset_due_at, undefined);
  },

  'users: sessions are revoked singly and all together, by keyboard': async (world) => {
    const { main } = world;
    await prepare(world);
    const person = await world.person(main);
    const asks = [await asking(main, person), await asking(main, person), await asking(main, person)];
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await open(page, main, person.username);
    await items(page, 'Sessions').nth(2).waitFor();
    assert.equal(await items(page, 'Sessions').count(), 3);
    await tabTo(page, 'Sign out node');
    await page.keyboard.press('Enter');
    await see(page, 'The session was signed out.');
    assert.equal(await focused(page), 'Sessions');
    await items(page, 'Sessions').nth(2).waitFor({ state: 'detached' });
    const left = async () =>
      (await Promise.all(asks.map((ask) => ask('GET', '/api/auth/me'))))
        .map((one) => one.status)
        .sort((one, other) => one - other);
    assert.deepEqual(await left(), [200, 200, 401]);
    await tabTo(page, 'Sign out all sessions');
    await page.keyboard.press('Enter');
    await see(page, 'All sessions of this account are signed out immediately.');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await focused(page), 'Sign out now');
    await page.keyboard.press('Enter');
    await see(page, 'All sessions were signed out.');
    assert.deepEqual(await left(), [401, 401, 401]);
  },

  'users: a user is invited with a role, invited again, and signs in': async (world) => {
    const { main, mailbox } = world;
    await prepare(world);
    const email = `invited-${Date.now()}@example.com`;
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await page.goto(`${main.url}/dash/people`);
    await press(page, 'Invite user');
    assert.equal(await focused(page), 'E-mail');
    await page.keyboard.type('nobody');
    await page.keyboard.press('Enter');
    await see(page, /^Enter an (e-mail )?address like/);
    await page.getByLabel('E-mail', { exact: true }).fill(ROOT.email);
    await page.keyboard.press('Enter');
    await see(page, 'An account with this e-mail address already exists.');
    await page.getByLabel('E-mail', { exact: true }).fill(email);
    await page.getByLabel('user', { exact: true }).check();
    await page.getByRole('form').getByRole('button', { name: 'Invite user' }).click();
    await see(page, `The invitation is on its way to ${email}.`);
    const [first] = (await mailbox.mailTo(email)).links;
    await page.getByRole('link', { name: email, exact: true }).click();
    await seeHeading(page, email);
    await see(page, 'Inactive');
    await press(page, 'Invite again');
    await see(page, 'The invitation is on its way. The previous invitation is no longer valid.');
    const [second] = (await mailbox.mailTo(email, 2)).links;
    const guest = await world.visitor();
    await accept(guest.page, first);
    await see(guest.page, 'This invitation is no longer valid');
    await accept(guest.page, second);
    await seeHeading(guest.page, 'Your account is ready');
    await signIn(guest.page, main, { email, password: ROOT.password });
  },

  'users: a helpdesk role sees only names and sessions': async (world) => {
    const { main } = world;
    await prepare(world);
    const root = await asking(main, ROOT);
    const read = { read: ['username'] };
    const named = { read: ['id', 'username'] };
    const permissions = [
      { resource: 'content.user.list', value: 'allow', fields: named },
      { resource: 'content.user.get', value: 'allow', fields: named },
      { resource: 'content.session.list', value: 'allow' },
      { resource: 'content.session.delete', value: 'allow' },
      { resource: 'mfa.list', value: 'allow' },
    ];
    const role = await root('POST', '/api/content/roles', { name: `helpdesk${Date.now()}`, permissions });
    assert.equal(role.status, 201);
    const helper = await world.person(main);
    const { person, ask } = await equipped(world);
    const [{ id }] = (await root('GET', `/api/content/users?filter={"username":"${helper.username}"}`)).body.data.items;
    await root('PATCH', `/api/content/users/${id}`, { roles: [{ id: role.body.data.id }] });
    const { page } = await world.visitor();
    await signIn(page, main, helper);
    await open(page, main, person.username);
    await see(page, 'Old phone');
    assert.deepEqual(await page.getByRole('heading', { level: 2 }).allInnerTexts(), [
      'Details',
      'Sessions',
      'Second factor',
    ]);
    assert.equal(await page.getByText(person.email).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Remove all second factors…' }).count(), 0);
    await page.getByRole('button', { name: /^Sign out node/ }).click();
    await see(page, 'The session was signed out.');
    assert.equal((await ask('GET', '/api/auth/me')).status, 401);
    // Names without ids are not links.
    const { items: rows } = (await root('GET', `/api/content/permissions?filter={"role":"${role.body.data.id}"}`)).body
      .data;
    const list = rows.find(({ resource }) => resource === 'content.user.list');
    await root('PATCH', `/api/content/permissions/${list.id}`, { fields: read });
    await page.goto(`${main.url}/dash/people`);
    await see(page, 'There are no accounts that you can access.');
    assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0);
  },

  'users: every page is screenshotted, passes axe and fits a small screen': async (world) => {
    await prepare(world);
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    await signIn(page, world.main, ROOT);
    assert.deepEqual(await checkAppearances(page, world, VIEWS), []);
  },

  'users: users without the permission get no link to them': async (world) => {
    const { main } = world;
    const person = await world.person(main);
    const { page } = await world.visitor();
    await signIn(page, main, person);
    await see(page, 'This session');
    assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0);
    await page.goto(`${main.url}/dash/people`);
    await see(page, 'You do not have permission to do this.');
    assert.equal(await page.getByRole('button', { name: 'Invite user' }).count(), 0);
  },
};

const VIEWS = {
  people: async (page, world) => {
    await page.goto(`${world.main.url}/dash/people`);
    await press(page, 'Invite user');
    await page.getByLabel('user', { exact: true }).waitFor();
  },
  person: async (page, world) => {
    const { person } = await equipped(world);
    await open(page, world.main, person.username);
    await see(page, 'nightly');
    await press(page, 'Remove all second factors…');
    await section(page, 'Roles').getByLabel('admin', { exact: true }).check();
  },
};
