import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { checkAppearances } from './support/appearance-checks.mjs';
import { prepare, ROOT } from './support/appearance-fixture.mjs';
import { focused, press, see, seeHeading, signIn } from './support/pages.mjs';

const section = (page, name) => page.getByRole('region', { name, exact: true });

/** Starts a service whose mail server rejects all connections. */
async function unmailed(world) {
  if (world.unmailed) return world.unmailed;
  const server = createServer((socket) => socket.end('421 not now\r\n'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service = await world.start({ MAIL_URL: `smtp://127.0.0.1:${server.address().port}` });
  server.unref();
  await service.run('dist/program/cli.js', 'admin:create', '--email', ROOT.email, '--password', ROOT.password);
  const fields = { username: 'ada', password: ROOT.password, password_confirmation: ROOT.password };
  await service.post('/api/auth/local/register', { email: 'ada@example.com', ...fields });
  world.unmailed = { service, server };
  return world.unmailed;
}

export const serviceScenarios = {
  'service: a pending mail is shown with its error and retried': async (world) => {
    const { service } = await unmailed(world);
    const { page } = await world.visitor();
    await signIn(page, service, ROOT);
    await page
      .getByRole('navigation', { name: 'Sections', exact: true })
      .getByRole('link', { name: 'Service', exact: true })
      .click();
    await seeHeading(page, 'Service');
    const parts = page.getByRole('navigation', { name: 'Parts of the service', exact: true });
    await parts.getByRole('link', { name: 'E-mails', exact: true }).click();
    const row = section(page, 'E-mails').getByRole('listitem');
    await row.getByText('ada@example.com').waitFor();
    await row.getByText(/^activation · created .* · \d attempts? · next attempt /).waitFor();
    await row.getByText(/421|not now|greeting/i).waitFor({ timeout: 30_000 });
    const retried = page.waitForResponse((answer) => answer.url().endsWith('/retry'));
    await page.getByRole('button', { name: 'Retry: activation to ada@example.com' }).click();
    assert.equal((await retried).status(), 200);
    await see(page, 'The e-mail is being retried.');
    assert.equal(await focused(page), 'E-mails');
    // A test mail goes to the administrator and is listed like all others.
    assert.equal(await page.getByLabel('Send a test e-mail to').inputValue(), ROOT.email);
    await press(page, 'Send');
    await see(page, 'The e-mail was queued.');
    await row.getByText(ROOT.email).waitFor();
    await page.getByLabel('Show', { exact: true }).selectOption('failed');
    await see(page, 'No e-mails.');
  },

  'service: the audit log is filtered by user, action and time, and links to users': async (world) => {
    const { main } = world;
    await prepare(world);
    const person = await world.person(main);
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await page.goto(`${main.url}/dash/service?part=audit`);
    const events = section(page, 'Audit log').getByRole('list', { name: 'Audit log' }).locator('> li');
    await events.first().waitFor();
    await page.getByLabel(/^Action/).fill('account.create');
    await page.getByLabel('From', { exact: true }).fill(new Date().toLocaleDateString('sv'));
    await page.keyboard.press('Enter');
    await page.waitForURL(/action=account\.create&since=\d{4}-/);
    await events.first().getByText('account.create').waitFor();
    await page.reload();
    await page.getByLabel(/^Action/).waitFor();
    assert.equal(await page.getByLabel(/^Action/).inputValue(), 'account.create');
    await page.getByLabel('From', { exact: true }).fill('2090-01-01');
    await page.keyboard.press('Enter');
    await see(page, 'No events found.');
    await press(page, 'Show all');
    await page.waitForURL((address) => address.search === '?part=audit');
    // Reading the log is also an event.
    await page.getByLabel(/^Action/).fill('audit.read');
    await press(page, 'Filter');
    await events.first().getByText('audit.read').waitFor();
    await events.first().getByText('Details').click();
    await events.first().getByText('Address').waitFor();
    await events.first().locator('> :nth-child(3)').getByRole('link').click();
    await see(page, ROOT.email);
    // From a user to the user's events.
    await page.goto(`${main.url}/dash/people?q=${person.username}`);
    await page.getByRole('link', { name: person.username, exact: true }).click();
    await page.getByRole('link', { name: 'Audit log of this user' }).click();
    await events.first().getByText('account.activate').waitFor();
    const actors = async () => [...new Set(await events.locator('> :nth-child(3)').allInnerTexts())];
    assert.deepEqual(await actors(), [person.username]);

    // A renamed or deleted account is still identified, because the log stores its id.
    const id = new URL(page.url()).searchParams.get('actor').slice('account:'.length);
    const { token } = await main.post('/api/auth/local/login', { login: ROOT.email, password: ROOT.password });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const account = `${main.url}/api/content/users/${id}`;
    const body = JSON.stringify({ username: `${person.username}-renamed` });
    assert.equal((await fetch(account, { method: 'PATCH', headers, body })).status, 200);
    await page.reload();
    await events.first().waitFor();
    assert.deepEqual(await actors(), [`${person.username}-renamed`]);
    assert.equal(
      (await fetch(account, { method: 'DELETE', headers: { authorization: headers.authorization } })).ok,
      true,
    );
    await page.reload();
    await events.first().waitFor();
    assert.deepEqual(await actors(), ['Deleted account']);
    await events.first().getByText('Details').click();
    await events.first().getByText(`account:${id}`).waitFor();

    // The reads of one page as another user are one entry.
    await page.goto(`${main.url}/dash/access`);
    await press(page, 'View as this user');
    await see(page, /^Viewing as/);
    await page.waitForLoadState('networkidle');
    await page.goto(`${main.url}/dash/service?part=audit&action=access.view`);
    await events
      .first()
      .getByText(/^\d+×$/)
      .waitFor();
  },

  'service: effective settings are found by name, without secrets': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await page.goto(`${main.url}/dash/service?part=settings`);
    await see(page, 'APP_NAME');
    assert.equal((await page.getByText('Harbour & Sons', { exact: true }).count()) > 0, true);
    const text = await section(page, 'Settings').innerText();
    assert.match(text, /\nMAIL_URL\nset\n/);
    assert.equal(text.includes(world.mailbox.url), false);
    await page.getByLabel('Search by name').fill('otp_enabled');
    await page.getByText('APP_NAME').waitFor({ state: 'detached' });
    assert.equal(await section(page, 'Settings').locator('dt').allInnerTexts().then(String), 'AUTH_OTP_ENABLED');
    await page.getByLabel('Search by name').fill('no such thing');
    await see(page, 'No settings found.');
  },

  'service: shows the health summary, and finds metrics by name': async (world) => {
    const { service } = await unmailed(world);
    const { page } = await world.visitor();
    await signIn(page, service, ROOT);
    await page.goto(`${service.url}/dash/service`);
    const tile = (name) => section(page, 'Overview').locator('dl > div').filter({ hasText: name });
    await tile('Database available').getByText('Yes', { exact: true }).waitFor();
    await tile('Connections in use')
      .getByText(/^\d+ of \d+$/)
      .waitFor();
    assert.equal(await tile('Failed jobs').locator('dd').innerText(), '0');
    await page.getByText('All metrics').click();
    await page.getByLabel('Search metrics').fill('audit_unsealed');
    await page.getByText('Audit log events that are not sealed yet.').waitFor();
    assert.equal(
      await section(page, 'Overview').locator('dt code').allInnerTexts().then(String),
      'lintel_audit_unsealed',
    );
    await page.getByLabel('Search metrics').fill('no such thing');
    await see(page, 'No metrics found.');
  },

  'service: jobs are shown with the reason why they wait, and started': async (world) => {
    const { service } = await unmailed(world);
    const { page } = await world.visitor();
    await signIn(page, service, ROOT);
    await page.goto(`${service.url}/dash/service?part=jobs`);
    const row = (kind) => section(page, 'Jobs').getByRole('listitem').filter({ hasText: kind });
    await row('mail.send')
      .getByText(/^since .* · \d attempts? · starts /)
      .first()
      .waitFor({ timeout: 30_000 });
    await row('audit.seal')
      .getByText(/^every \d+ \S+ · next run /)
      .waitFor();
    const begun = page.waitForResponse((answer) => answer.url().endsWith('/retry'));
    await page.getByRole('button', { name: 'Start now: audit.seal', exact: true }).click();
    assert.equal((await begun).status(), 200);
    await see(page, 'The job was started. Completed jobs disappear from this list.');
    assert.equal(await focused(page), 'Jobs');
    await page.reload();
    await row('audit.seal')
      .getByText(/ · next run .* · last run /)
      .waitFor();
    await page.getByLabel('Show', { exact: true }).selectOption('failed');
    await see(page, 'No jobs.');
  },

  'service: a backup is requested, created and listed; all migrations are applied': async (world) => {
    const service = await world.start({ DATABASE_URL: '' });
    await service.run('dist/program/cli.js', 'admin:create', '--email', ROOT.email, '--password', ROOT.password);
    const { page } = await world.visitor();
    await signIn(page, service, ROOT);
    await page.goto(`${service.url}/dash/service?part=backups`);
    await see(page, 'No backups yet.');
    await see(page, 'Backups are not scheduled: BACKUP_SCHEDULE is not set.');
    await press(page, 'Create a backup');
    await see(page, 'The backup was started in the background.');
    const made = section(page, 'Backups').getByRole('list', { name: 'Backups' }).getByRole('listitem');
    await made.getByText(/^[\d.]+ MB · created in \d+ seconds? · /).waitFor({ timeout: 60_000 });
    assert.equal(await made.count(), 1);
    assert.deepEqual(await checkAppearances(page, { artifacts: world.artifacts, service }, BACKED_UP), []);
    await page.goto(`${service.url}/dash/service?part=migrations`);
    await page.getByText(/^All \d+ migrations of this release are applied\.$/).waitFor();
  },

  'service: every page is screenshotted, passes axe and fits a small screen': async (world) => {
    const { service } = await unmailed(world);
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    await signIn(page, service, ROOT);
    assert.deepEqual(await checkAppearances(page, { artifacts: world.artifacts, service }, VIEWS), []);
  },

  'service: users without the permission get no link to it': async (world) => {
    const { main } = world;
    const { page } = await world.visitor();
    await signIn(page, main, await world.person(main));
    await see(page, 'This session');
    assert.equal(await page.getByRole('link', { name: 'Service', exact: true }).count(), 0);
    await page.goto(`${main.url}/dash/service`);
    await see(page, 'You do not have access to this page.');
  },
};

const BACKED_UP = {
  'service-backups': async (page, { service }) => {
    await page.goto(`${service.url}/dash/service?part=backups`);
    await page.getByText(/created in/).waitFor();
  },
};

const VIEWS = {
  'service-mails': async (page, { service }) => {
    await page.goto(`${service.url}/dash/service?part=mails`);
    await see(page, 'ada@example.com');
  },
  'service-glance': async (page, { service }) => {
    await page.goto(`${service.url}/dash/service`);
    await see(page, 'Database available');
  },
  'service-measures': async (page, { service }) => {
    await page.goto(`${service.url}/dash/service`);
    await page.getByText('All metrics').click();
  },
  'service-jobs': async (page, { service }) => {
    await page.goto(`${service.url}/dash/service?part=jobs`);
    await see(page, 'audit.seal');
  },
  'service-migrations': async (page, { service }) => {
    await page.goto(`${service.url}/dash/service?part=migrations`);
    await page.getByText(/^All \d+ migrations of this release/).waitFor();
  },
  'service-audit': async (page, { service }) => {
    await page.goto(`${service.url}/dash/service?part=audit`);
    await page.getByText('Details').first().click();
  },
  'service-settings': async (page, { service }) => {
    await page.goto(`${service.url}/dash/service?part=settings`);
    await see(page, 'APP_NAME');
  },
};
