import assert from 'node:assert/strict';
import { press, see, signIn } from './pages.mjs';
import { PASSWORD } from './world.mjs';

const EXAMPLE = 'examples/blog';
const AUTO = JSON.stringify({ providers: { local: { activation_method: 'auto' } } });
const POSTS = 450;

export const EDITOR = { email: 'editor@example.com', password: PASSWORD };
export const TAGGER = { email: 'tagger@example.com', password: PASSWORD };

/** Returns a service with the schemas and posts of the blog example; once per run. */
export async function recordsService(world) {
  world.records ??= await prepare(world);
  return world.records;
}

async function prepare(world) {
  const service = await world.start({ AUTH: AUTO, AUTH_ENABLE_REFRESH_TOKEN: 'true' });
  const cli = (...args) => service.run('dist/program/cli.js', ...args);
  await cli('schema:apply', `${EXAMPLE}/schemas`);
  await cli('roles:seed', '--file', `${EXAMPLE}/roles.json`);
  await cli('admin:create', '--email', EDITOR.email, '--password', PASSWORD);
  const account = ['--login', EDITOR.email, '--password', PASSWORD];
  await service.run(`${EXAMPLE}/seed.mjs`, '--url', service.url, ...account, '--posts', String(POSTS));
  const ask = await asking(service);
  const { id: role } = await ask('POST', '/api/content/role', { name: 'tagger' });
  await ask('POST', '/api/content/permission', { role: { id: role }, resource: 'content.tag.list', value: 'allow' });
  await ask('POST', '/api/content/user', { ...TAGGER, activated: true, roles: [{ id: role }] });
  return service;
}

export async function asking(service) {
  const { token } = await service.post('/api/auth/local/login', { login: EDITOR.email, password: PASSWORD });
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const answer = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text}`);
    return JSON.parse(text).data;
  };
}

/** Signs in the user with all permissions. @param options those of the browser context. */
export async function editor(world, options) {
  const service = await recordsService(world);
  const { page } = await world.visitor(options);
  await signIn(page, service, EDITOR);
  return { page, service };
}

export const rows = (page) => page.locator('[role=grid] [role=row][aria-selected]');
export const cell = (page, row, column) => page.locator(`[data-row="${row}"][data-column="${column}"]`);

/** Uses the API panel of a list: code to copy, types, and trying requests as the signed-in user. */
export async function usesTheApi(page, { url }) {
  await press(page, 'API');
  const api = page.getByRole('region', { name: 'API of post' });
  const list = api.getByRole('region', { name: 'List records' });
  await list.waitFor();
  assert.match(await list.innerText(), new RegExp(`^curl '${url}/api/content/posts\\?filter=.*&sort=views'`));
  await api.getByRole('button', { name: 'Copy: List records' }).click();
  await see(page, /^Copied\.|copy it manually/);
  await press(page, 'fetch');
  await list.getByText('await fetch').waitFor();
  await press(page, 'Send request');
  await api
    .getByRole('region', { name: 'Response' })
    .getByText(/"next_cursor"|"total"/)
    .waitFor();
  await press(page, 'TypeScript');
  await api.getByText(/export type PostCreate = /).waitFor();
}
