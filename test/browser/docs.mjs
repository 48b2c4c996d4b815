import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, see, seeHeading, signIn } from './support/pages.mjs';
import { PASSWORD } from './support/world.mjs';

const BLOG = JSON.parse(readFileSync(new URL('../../examples/blog/schemas/blog.json', import.meta.url), 'utf8'));

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

const group = (page, name) => page.locator(`[id="operations-tag-${name}"]`);
const operation = (page, tag, id) => page.locator(`[id="operations-${tag}-${id}"]`);
const search = (page, words) => page.getByLabel('Search').fill(words);

async function openAsGuest(page, { url }) {
  await page.goto(`${url}/api/docs`);
  await group(page, 'Password').waitFor();
}

async function openAsRoot(page, blog) {
  await openAsGuest(page, blog);
  await page.getByLabel('Access token').fill(blog.token);
  await press(page, 'Use token');
  await group(page, 'post').waitFor();
}

async function unfold(page, tag, id) {
  await search(page, id);
  const found = operation(page, tag, id);
  await found.locator('.opblock-summary-control').click();
  await found.getByRole('region', { name: 'Sample request' }).waitFor();
  return found;
}

const sampleOf = (found) => found.getByRole('region', { name: 'Sample request' });
const answerOf = (found) => found.locator('.live-responses-table .response-col_status').last();

export const docsScenarios = {
  'docs: a guest sees how to sign in, and no schema': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    await openAsGuest(page, blog);
    await seeHeading(page, 'Blog API');
    assert.equal(await page.title(), 'Blog API');
    const login = await unfold(page, 'Password', 'localLoginLogin');
    await login.getByText('invalid_credentials').waitFor();
    assert.equal(await group(page, 'post').count(), 0);
    await search(page, '');
    assert.equal(await page.getByText('/api/content').count(), 0);
  },

  'docs: loads only compressed, immutable files of this origin': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    const loaded = [];
    page.on('response', (response) => loaded.push(response));
    await openAsGuest(page, blog);
    const files = loaded.filter((response) => response.url().includes('/assets/reference-'));
    assert.deepEqual(files.map((file) => /\.\w+$/.exec(file.url())[0]).sort(), ['.css', '.js']);
    for (const file of files) {
      const headers = await file.allHeaders();
      assert.match(headers['content-encoding'], /^(br|gzip)$/);
      assert.match(headers['cache-control'], /immutable/);
    }
  },

  'docs: a token shows the routes of its user and is dropped with the page': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    await openAsRoot(page, blog);
    const list = await unfold(page, 'post', 'listPost');
    await list.getByText('content.post.list', { exact: true }).waitFor();
    for (const name of ['filter', 'sort', 'cursor', 'select'])
      await list.locator(`tr[data-param-name="${name}"]`).waitFor();
    await list.locator('tr[data-param-name="filter"]').getByText('published_at', { exact: true }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('openapi.json').click()]);
    assert.ok(readFileSync(await download.path(), 'utf8').includes('/api/content/posts'));
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length), 0);
    assert.ok(!page.url().includes(blog.token));
    await page.reload();
    await group(page, 'Password').waitFor();
    assert.equal(await group(page, 'post').count(), 0);
    await page.getByRole('link', { name: 'sign in' }).click();
    await signIn(page, blog, { email: 'root@example.com', password: PASSWORD });
    await page.goto(`${blog.url}/api/docs`);
    await see(page, 'You are signed in: no token is needed.');
    await group(page, 'post').waitFor();
  },

  'docs: an invalid token is reported and keeps the page': async (world) => {
    const { page } = await world.visitor();
    await openAsGuest(page, await blogService(world));
    await page.getByLabel('Access token').fill('junk');
    await press(page, 'Use token');
    await see(page, 'The token is not valid.');
    await group(page, 'Password').waitFor();
  },

  'docs: the search finds paths, texts and fields; results open by keyboard': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    await openAsRoot(page, blog);
    await search(page, 'restorePost');
    await see(page, /^1 operation$/);
    const restore = operation(page, 'post', 'restorePost');
    await restore.locator('.opblock-summary-control').focus();
    await page.keyboard.press('Enter');
    const sample = sampleOf(restore);
    await sample.getByRole('button', { name: 'Python' }).focus();
    await page.keyboard.press('Enter');
    await sample.getByText('urlopen(request)').waitFor();
    await search(page, 'published_at post');
    await operation(page, 'post', 'createPost').waitFor();
    assert.equal(await operation(page, 'post', 'listPost').count(), 0);
    await search(page, 'no such thing');
    await see(page, '0 operations');
    assert.equal(await page.locator('.opblock').count(), 0);
  },

  'docs: a URL opens its operation': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    await openAsGuest(page, blog);
    await unfold(page, 'Password', 'localLoginLogin');
    assert.equal(new URL(page.url()).hash, '#/Password/localLoginLogin');
    await page.reload();
    await sampleOf(operation(page, 'Password', 'localLoginLogin')).waitFor();
  },

  'docs: sends a request with the token and shows it without the token': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    await openAsRoot(page, blog);
    const create = await unfold(page, 'category', 'createCategory');
    await create.getByRole('button', { name: 'Try it out' }).click();
    await create.getByLabel('Body of the request').fill(`{"name": "It's news"}`);
    await create.getByRole('button', { name: 'Execute' }).click();
    await create.getByRole('region', { name: 'Sent request' }).waitFor();
    assert.equal((await answerOf(create).textContent()).trim(), '201');
    const sent = await create.getByRole('region', { name: 'Sent request' }).locator('pre').textContent();
    assert.match(sent, /Bearer \$TOKEN/);
    assert.ok(!(await page.content()).includes(blog.token));

    const list = await unfold(page, 'category', 'listCategory');
    await list.getByRole('button', { name: 'Try it out' }).click();
    const listRequest = page.waitForRequest((request) => request.url().includes('/api/content/categories'));
    await list.getByLabel('filter', { exact: true }).fill('{"name":{"$contains":"news"}}');
    await list.getByRole('button', { name: 'Execute' }).click();
    assert.deepEqual(JSON.parse(new URL((await listRequest).url()).searchParams.get('filter')), {
      name: { $contains: 'news' },
    });
    await list.locator('.live-responses-table').getByText("It's news").waitFor();
  },

  'docs: the samples are executable': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor();
    await openAsRoot(page, blog);
    const env = { PATH: process.env.PATH, TOKEN: blog.token };
    const list = await unfold(page, 'post', 'listPost');
    const curl = spawnSync('sh', ['-c', `${await sampleOf(list).locator('pre').textContent()} -s`], {
      env,
      encoding: 'utf8',
    });
    assert.deepEqual(JSON.parse(curl.stdout).data.items, []);
    const create = await unfold(page, 'tag', 'createTag');
    await sampleOf(create).getByRole('button', { name: 'fetch' }).click();
    const code = `const { TOKEN } = process.env;\n${await sampleOf(create).locator('pre').textContent()}`;
    const node = spawnSync(process.execPath, ['--input-type=module', '-e', code], { env, encoding: 'utf8' });
    assert.match(node.stdout, /^201 \{"data":\{"id":/, node.stderr);
  },

  'appearance: the reference page passes axe and fits a small screen': async (world) => {
    const blog = await blogService(world);
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    await openAsGuest(page, blog);
    const faults = await checkAppearance(page, join(world.artifacts, 'docs-guest'));
    await page.setViewportSize(SIZES.wide);
    await openAsRoot(page, blog);
    const create = await unfold(page, 'post', 'createPost');
    faults.push(...(await checkAppearance(page, join(world.artifacts, 'docs-operation'))));
    await page.setViewportSize(SIZES.wide);
    await create.getByRole('button', { name: 'Try it out' }).click();
    await create.getByRole('button', { name: 'Execute' }).click();
    await create.getByRole('region', { name: 'Sent request' }).waitFor();
    faults.push(...(await checkAppearance(page, join(world.artifacts, 'docs-tried'))));
    await page.setViewportSize(SIZES.wide);
    await unfold(page, 'post', 'listPost');
    faults.push(...(await checkAppearance(page, join(world.artifacts, 'docs-list'))));
    assert.deepEqual(faults, []);
  },

  'appearance: the reference page follows changes of the system theme': async (world) => {
    const { page } = await world.visitor({ colorScheme: 'light' });
    await openAsGuest(page, await blogService(world));
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction((before) => getComputedStyle(document.body).backgroundColor !== before, light);
  },
};
