import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startBlog } from './support/blog.mjs';
import { lookAt, SIZES } from './support/look.mjs';
import { press, see, seeHeading } from './support/pages.mjs';

/** Of these every tenth is a draft. */
const POSTS = 33;
const PUBLISHED = 30;

/** The example of a front end, set up as its README says. */
export const blogScenarios = {
  'blog: a guest pages through what is published, and seeding twice makes nothing twice': async (world) => {
    const { page } = await visitBlog(world);
    const titles = new Set();
    for (const isLast of [false, false, true]) {
      for (const link of await links(page)) titles.add(link);
      assert.equal(await page.getByRole('link', { name: 'Older posts' }).isVisible(), !isLast);
      if (!isLast) await follow(page, 'Older posts');
    }
    assert.equal(titles.size, PUBLISHED);
    await follow(page, 'Newest posts');
    assert.equal(await page.getByRole('link', { name: 'Newest posts' }).isVisible(), false);
  },

  'blog: a guest filters by category and tag, searches, and reads': async (world) => {
    const { page } = await visitBlog(world);
    await page.getByLabel('Category').selectOption('History');
    await press(page, 'Filter');
    await page.waitForURL(/category=history/);
    const history = await links(page);
    assert.ok(history.length > 0 && history.length < PUBLISHED);
    assert.equal(await page.getByRole('article').getByRole('link', { name: 'History' }).count(), history.length);

    await page.getByRole('list', { name: 'Tags' }).first().getByRole('link').first().click();
    await page.waitForURL(/tag=/);
    assert.ok((await links(page)).length > 0);

    await page.getByLabel('Search').fill('no such word');
    await press(page, 'Filter');
    await see(page, 'No post fits.');
    await follow(page, 'Clear');
    const [first] = await links(page);
    await page.goto(new URL(first, page.url()).href);
    await page.locator('.body p').nth(2).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Edit this post' }).count(), 0);
  },

  'blog: a new author meets faults at the fields, keeps a draft, and publishes it': async (world) => {
    const { page, blog } = await visitBlog(world);
    await register(page, blog, world.newPerson());
    await press(page, 'Publish');
    await page.locator('#title[aria-invalid]').waitFor();
    assert.equal(await page.getByLabel('Title').evaluate((input) => input === document.activeElement), true);
    assert.equal(await page.locator('[aria-invalid]').count(), 4);

    await fillPost(page, { title: 'A walk to the mill', author: 'Una Writer' });
    await press(page, 'Save as draft');
    await seeHeading(page, 'A walk to the mill');
    await see(page, 'Draft');
    const guest = await visitBlog(world);
    await guest.page.goto(page.url());
    await seeHeading(guest.page, 'There is no such post');

    await page.getByRole('link', { name: 'Edit this post' }).click();
    await seeHeading(page, 'Edit your post');
    await page.getByLabel('Title').fill('A longer walk to the mill');
    await press(page, 'Publish');
    await seeHeading(page, 'A longer walk to the mill');
    await guest.page.goto(blog);
    const first = guest.page.getByRole('article').first();
    await first.getByRole('link', { name: 'A longer walk to the mill' }).waitFor();
    await first.getByText('Una Writer').waitFor();
    await first.getByRole('link', { name: 'Nature' }).waitFor();

    await page.goto(`${blog}/write.html`);
    await fillPost(page, { title: 'A walk to the mill' });
    await press(page, 'Publish');
    await see(page, 'Is in use already.');
    assert.equal(await page.locator('#slug[aria-invalid]').count(), 1);
  },

  'blog: every page has no serious finding of axe, and fits a small screen': async (world) => {
    const { page, blog } = await visitBlog(world, { reducedMotion: 'reduce' });
    const faults = [];
    const look = async (name) => {
      await page.setViewportSize(SIZES.wide);
      await page.getByRole('heading', { level: 1 }).waitFor();
      faults.push(...(await lookAt(page, join(world.artifacts, `blog-${name}`))).map((fault) => `${name} ${fault}`));
    };
    await look('list');
    await page.goto(new URL((await links(page))[0], blog).href);
    await look('post');
    await page.goto(`${blog}/?q=nothing`);
    await see(page, 'No post fits.');
    await look('none');
    await page.goto(`${blog}/sign-in.html`);
    await press(page, 'Create account');
    await page.locator('#email[aria-invalid]').waitFor();
    await look('sign-in');
    await register(page, blog, world.newPerson());
    await press(page, 'Publish');
    await page.locator('#title[aria-invalid]').waitFor();
    await look('write');
    assert.deepEqual(faults, []);
  },
};

async function visitBlog(world, options = {}) {
  const blog = await startBlog(world, POSTS);
  const { page } = await world.visitor({ ...options, origins: [blog] });
  await page.goto(blog);
  return { page, blog };
}

/** Where the posts of the page lead; waits for them. */
async function links(page) {
  const all = page.locator('#posts h2 a');
  await all.first().waitFor();
  return all.evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute('href')));
}

async function follow(page, name) {
  const before = page.url();
  await page.getByRole('link', { name }).click();
  await page.waitForURL((url) => url.href !== before);
  await page.locator('#posts h2 a').first().waitFor();
}

/** Makes an account, which leads on to the form of a new post. */
async function register(page, blog, { email, password }) {
  await page.goto(`${blog}/write.html`);
  await page.getByLabel('E-mail', { exact: true }).fill(email);
  await page.getByLabel('New password').fill(password);
  await press(page, 'Create account');
  await seeHeading(page, 'Write a post');
  await page.getByRole('button', { name: 'Publish' }).waitFor();
}

async function fillPost(page, { title, author }) {
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text').fill('It was quiet.\n\nThen the geese came.');
  await page.getByLabel('Category').selectOption('Nature');
  for (const tag of ['spring', 'family', 'local']) await page.getByLabel(tag, { exact: true }).check();
  if (author) await page.getByLabel('Your name').fill(author);
}
