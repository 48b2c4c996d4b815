import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookAt } from './support/look.mjs';
import { press, see, seeHeading } from './support/pages.mjs';
import { PASSWORD } from './support/world.mjs';

const BLOG = JSON.parse(readFileSync(new URL('../../examples/blog/schemas/blog.json', import.meta.url), 'utf8'));

/** A service with the schemas of the blog, and the token of its administrator. */
async function blogService(world) {
  if (world.documented !== undefined) return world.documented;
  const service = await world.start({ APP_NAME: 'Blog' });
  const account = { email: 'root@example.com', username: 'root', password: PASSWORD };
  const token = new URL(service.setupAddress).hash.replace('#token=', '');
  await service.post('/api/setup', { ...account, password_confirmation: PASSWORD, token });
  const { token: access } = await service.post('/api/auth/local/login', { login: 'root', password: PASSWORD });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${access}` };
  const made = await fetch(`${service.url}/api/schema`, { method: 'POST', headers, body: JSON.stringify(BLOG) });
  assert.equal(made.status, 201);
  world.documented = { url: service.url, token: access };
  return world.documented;
}

async function openAsRoot(page, { url, token }) {
  await page.goto(`${url}/api/docs`);
  await page.getByLabel('Access token').fill(token);
  await press(page, 'Use token');
  await page.getByRole('button', { name: /^post \d/ }).waitFor();
}

const operation = (page, id) => page.locator(`details#${id}`);

/** The reference page of the API. */
export const docsScenarios = {
  'docs: a guest sees how to sign in, and nothing of the data': async (world) => {
    const { url } = await blogService(world);
    const { page } = await world.visitor();
    await page.goto(`${url}/api/docs`);
    await seeHeading(page, 'Blog API');
    await page.getByRole('button', { name: /^Password \d/ }).click();
    await operation(page, 'localLoginLogin').locator('summary').first().click();
    await see(page, 'invalid_credentials');
    await see(page, 'curl -X POST "$BASE/api/auth/local/login"');
    assert.equal(await page.getByRole('button', { name: /^post \d/ }).count(), 0);
    assert.equal(await page.getByText('/api/content').count(), 0);
  },

  'docs: a token shows what its owner may do, and is forgotten with the page': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    await openAsRoot(page, blog);
    await page.getByRole('button', { name: /^post \d/ }).click();
    const list = operation(page, 'listPost');
    await list.locator('summary').first().click();
    await list.getByRole('heading', { name: 'Parameters' }).waitFor();
    for (const name of ['filter', 'sort', 'cursor', 'select'])
      await list.getByText(name, { exact: true }).first().waitFor();
    const create = operation(page, 'createPost');
    await create.locator('summary').first().click();
    await create.getByText('PostCreate', { exact: true }).first().click();
    await create.getByRole('rowheader', { name: 'title required' }).first().waitFor();
    await create.getByText('"$BASE/api/content/posts"').first().waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('openapi.json').click()]);
    assert.ok(readFileSync(await download.path(), 'utf8').includes('/api/content/posts'));
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length), 0);
    assert.ok(!page.url().includes(blog.token));
    await page.reload();
    await seeHeading(page, 'Blog API');
    await see(page, 'Password');
    assert.equal(await page.getByRole('button', { name: /^post \d/ }).count(), 0);
  },

  'docs: a token that is not good is told, and what was shown stays': async (world) => {
    const { url } = await blogService(world);
    const { page } = await world.visitor();
    await page.goto(`${url}/api/docs`);
    await page.getByRole('button', { name: /^Password \d/ }).waitFor();
    await page.getByLabel('Access token').fill('junk');
    await press(page, 'Use token');
    await see(page, 'The token is not valid.');
    await page.getByRole('button', { name: /^Password \d/ }).waitFor();
  },

  'docs: the filter finds paths and fields, and keys open what it found': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    await openAsRoot(page, blog);
    await page.getByLabel('Filter').fill('restorePost');
    await see(page, '1 operation');
    const restore = operation(page, 'restorePost');
    await restore.waitFor();
    await restore.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    await restore.getByRole('heading', { name: 'Errors' }).waitFor();
    await page.getByLabel('Filter').fill('no such thing');
    await see(page, '0 operations');
    await page.goto(`${blog.url}/api/docs#authMethods`);
    await page.reload();
    await operation(page, 'authMethods').getByRole('heading', { name: 'Answer 200' }).waitFor();
  },

  'docs: every operation of an administrator can be opened, and its command is whole': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    await openAsRoot(page, blog);
    for (const group of await page.locator('h2 button').all()) await group.click();
    const count = await page.locator('details.operation').count();
    assert.ok(count > 80, `${count} operations`);
    await page.evaluate(() => document.querySelectorAll('details.operation').forEach((one) => (one.open = true)));
    await page.waitForFunction((all) => document.querySelectorAll('details.operation h3').length > all, count);
    for (const text of await page.locator('details.operation .code:last-child pre').allTextContents()) {
      assert.match(text, /^curl /);
      assert.ok(!text.includes('undefined') && !text.includes('[object'), text);
    }
  },

  'look: the reference page has no serious finding of axe, and fits a small screen': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    await page.goto(`${blog.url}/api/docs`);
    await page.getByRole('button', { name: /^Password \d/ }).waitFor();
    const faults = await lookAt(page, join(world.artifacts, 'docs-guest'));
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await openAsRoot(page, blog);
    await page.getByLabel('Filter').fill('createPost');
    await operation(page, 'createPost').locator('summary').first().click();
    await operation(page, 'createPost').getByText('PostCreate', { exact: true }).first().click();
    faults.push(...(await lookAt(page, join(world.artifacts, 'docs-operation'))));
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.screenshot({ path: join(world.artifacts, 'docs-operation-narrow-dark.png'), fullPage: true });
    assert.deepEqual(faults, []);
  },
};
