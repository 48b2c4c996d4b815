import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './support/child.mjs';
import { fillPassword, press, see, seeHeading } from './support/pages.mjs';
import { until } from './support/until.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DONE = 'You are signed in. You can close this window.';

/** Native-app sign-in, with the reference client as a process and with listeners of the test. */
export const nativeScenarios = {
  'app: signs in by password; a wrong password shows an error': async (world) => {
    const person = await world.person(world.main);
    const app = await startApp(world);
    const { page } = await world.visitor({ origins: [app.origin] });
    await page.goto(app.address);
    await seeHeading(page, 'Sign in to an app');
    await see(page, 'An app on this computer');
    await see(page, `${app.origin}/callback`);
    await fillPassword(page, person.email, 'not the password');
    await press(page, 'Sign in to the app');
    await see(page, 'The user name, e-mail address or password is wrong.');
    assert.equal(new URL(page.url()).hash, '');
    await fillPassword(page, person.email, person.password);
    await press(page, 'Sign in to the app');
    await see(page, DONE);
    assert.match(await app.ended, new RegExp(`Signed in as ${person.username} <${person.email}>`));
  },

  'app: signs in by a mailed code': async (world) => {
    const person = await world.person(world.main);
    const app = await startApp(world);
    const { page } = await world.visitor({ origins: [app.origin] });
    await page.goto(app.address);
    await page.getByRole('tab', { name: /code/i }).click();
    await page.getByLabel('E-mail', { exact: true }).fill(person.email);
    await press(page, 'Send code');
    const [code] = (await world.mailbox.mailTo(person.email, 2)).codes;
    await page.getByLabel('Code from the e-mail').fill(code === '000000' ? '111111' : '000000');
    await press(page, 'Sign in to the app');
    await see(page, 'The code is wrong or has expired.');
    await page.getByLabel('E-mail', { exact: true }).fill(person.email);
    await page.getByLabel('Code from the e-mail').fill(code);
    await press(page, 'Sign in to the app');
    await see(page, DONE);
    assert.match(await app.ended, new RegExp(`<${person.email}>`));
  },

  'app: a form on another site cannot sign in': async (world) => {
    const person = await world.person(world.main);
    const app = await startApp(world);
    const carrier = new URL(app.address).searchParams.get('cli');
    const { page } = await world.visitor({ origins: [app.origin, 'http://evil.example'] });
    const fields = { carrier, login: person.email, password: person.password };
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
    const form = `<form method="post" action="${world.main.url}/api/auth/cli/login/local">${inputs.join('')}</form>`;
    const body = `${form}<script>document.forms[0].submit()</script>`;
    await page.route('http://evil.example/**', (route) => route.fulfill({ contentType: 'text/html', body }));
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/auth/cli/login/local'));
    await page.goto('http://evil.example/', { waitUntil: 'commit' });
    assert.equal((await answered).status(), 403);
    assert.equal((await (await answered).json()).data.error, 'cross_site_request');
    await page.goto(app.address);
    await fillPassword(page, person.email, person.password);
    await press(page, 'Sign in to the app');
    await see(page, DONE);
    await app.ended;
  },

  'app: signs in by a provider': async (world) => {
    const { email } = world.provider.meet();
    const app = await startApp(world);
    const { page } = await world.visitor({ origins: [app.origin] });
    await page.goto(app.address);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await press(page, 'Continue as Ada');
    await see(page, DONE);
    assert.match(await app.ended, new RegExp(`<${email}>`));
  },

  'app: a sign-in needs a confirmation, and a carrier completes one sign-in': async (world) => {
    const person = await world.person(world.main);
    const listener = await listen('127.0.0.1');
    const login = await initiate(world, listener.redirectUri);
    const { page } = await world.visitor({ origins: [listener.origin] });
    await page.goto(new URL(login.authorize_url, world.main.url).href);
    await seeHeading(page, 'Sign in to an app');
    assert.equal(listener.calls.length, 0);
    for (const attempt of ['first', 'second']) {
      await page.goto(new URL(login.authorize_url, world.main.url).href);
      await fillPassword(page, person.email, person.password);
      await press(page, 'Sign in to the app');
      await see(
        page,
        attempt === 'first' ? 'Back in the app.' : 'This sign-in request has expired or was already used.',
      );
    }
    assert.equal(listener.calls.length, 1);
    assert.equal(listener.calls[0].searchParams.get('state'), login.correlation);
    listener.close();
  },

  'app: a listener on [::1] gets its code, and needs the verifier for a token': async (world) => {
    const person = await world.person(world.main);
    const listener = await listen('::1');
    const login = await initiate(world, listener.redirectUri);
    const { page } = await world.visitor({ origins: [listener.origin] });
    await page.goto(new URL(login.authorize_url, world.main.url).href);
    await fillPassword(page, person.email, person.password);
    await press(page, 'Sign in to the app');
    await see(page, 'Back in the app.');
    const code = listener.calls[0].searchParams.get('code');
    const tokens = await world.main.post('/api/auth/exchange', { code, code_verifier: login.verifier });
    world.secrets.addFrom(tokens);
    listener.close();
  },

  'app: the page of one app cannot complete the sign-in of another': async (world) => {
    const person = await world.person(world.main);
    const [one, other] = [await listen('127.0.0.1'), await listen('127.0.0.1')];
    const mine = await initiate(world, one.redirectUri);
    const { carrier } = await initiate(world, other.redirectUri);
    const visitor = await world.visitor({ origins: [one.origin, other.origin] });
    const { page } = visitor;
    await page.goto(new URL(mine.authorize_url, world.main.url).href);
    await page.evaluate(postForm, { carrier, login: person.email, password: person.password });
    await until(() => visitor.problems.length > 0, 'the refusal of the browser');
    for (const problem of visitor.problems.splice(0)) assert.match(problem, /form-action/);
    assert.equal(other.calls.length, 0);
    one.close();
    other.close();
  },

  'app: an invalid carrier is reported before the sign-in': async (world) => {
    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash/login?cli=nonsense`);
    await seeHeading(page, 'This sign-in link is damaged');
    assert.equal(await page.getByRole('textbox').count(), 0);
  },
};

/** Submits fields from the page like its own form, whatever it shows. */
function postForm(fields) {
  const form = Object.assign(document.createElement('form'), { method: 'post', action: '/api/auth/cli/login/local' });
  for (const [name, value] of Object.entries(fields))
    form.append(Object.assign(document.createElement('input'), { name, value }));
  document.body.append(form);
  form.submit();
}

async function startApp(world) {
  let output = '';
  const child = startChild(join(ROOT, 'examples/native-login.mjs'), {
    args: ['--server', world.main.url, '--no-open'],
    onText: (text) => (output += text),
  });
  const ended = new Promise((resolve) => child.once('exit', () => resolve(output)));
  const address = await until(
    () => /http\S+\/dash\/login\?cli=\S+/.exec(output)?.[0],
    `the app's address in ${output}`,
  );
  const payload = new URL(address).searchParams.get('cli').split('.')[0];
  const { redirect_uri: redirectUri } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return { address, ended, origin: new URL(redirectUri).origin };
}

export async function listen(host) {
  const calls = [];
  const server = createServer((request, response) => {
    calls.push(new URL(request.url, 'http://app'));
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><link rel="icon" href="data:,">Back in the app.');
  });
  await new Promise((resolve) => server.listen(0, host, resolve));
  const origin = `http://${host === '::1' ? '[::1]' : host}:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin, redirectUri: `${origin}/callback`, calls, close };
}

export async function initiate(world, redirectUri) {
  const [verifier, correlation] = [randomBytes(32).toString('base64url'), randomBytes(8).toString('hex')];
  world.secrets.add(verifier);
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const answer = await world.main.post('/api/auth/cli/initiate', {
    redirect_uri: redirectUri,
    correlation,
    code_challenge,
  });
  return { ...answer, verifier, correlation };
}
