import assert from 'node:assert/strict';
import { join } from 'node:path';
import { COVERS, drawCover } from '../../examples/blog/seed-covers.mjs';
import { startBlog } from './support/blog.mjs';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, see, seeHeading } from './support/pages.mjs';

const POSTS = 33;
const PUBLISHED = 30;

const imageFile = (bytes = 0, name = 'hills (one).png', mimeType = 'image/png') => ({
  name,
  mimeType,
  buffer: Buffer.concat([drawCover(2), Buffer.alloc(bytes)]),
});

export const blogScenarios = {
  'blog: a guest pages through published posts; seeding twice creates no duplicates': async (world) => {
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
    await see(page, 'No posts found.');
    await follow(page, 'Clear');
    const [first] = await links(page);
    await page.goto(new URL(first, page.url()).href);
    await page.locator('.body p').nth(2).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Edit this post' }).count(), 0);
  },

  'blog: an author sees errors at the fields, saves a draft and publishes it': async (world) => {
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
    await seeHeading(guest.page, 'Post not found');

    await page.getByRole('link', { name: 'Edit this post' }).click();
    await seeHeading(page, 'Edit post');
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

  'blog: covers load lazily in the image sizes of the field': async (world) => {
    const { page, blog } = await visitBlog(world);
    const requestedUrls = [];
    page.on('request', (request) => requestedUrls.push(new URL(request.url())));
    await page.reload();
    await links(page);
    const covers = page.locator('#posts img');
    assert.ok((await covers.count()) >= 6);
    await isSeen(covers.first());
    const names = new Set(COVERS.map(({ alt }) => alt));
    for (const cover of await covers.all()) {
      assert.ok(names.has(await cover.getAttribute('alt')));
      assert.equal(await cover.getAttribute('loading'), 'lazy');
      assert.deepEqual(
        [await cover.getAttribute('width'), await cover.getAttribute('height')],
        ['480', '270'],
        'room is kept for it',
      );
    }
    const files = requestedUrls.filter(({ pathname }) => pathname.startsWith('/api/files/'));
    assert.ok(files.length > 0);
    for (const { search } of files) assert.equal(search, '?size=card');
    await page
      .getByRole('article')
      .filter({ has: page.locator('img') })
      .first()
      .getByRole('link')
      .first()
      .click();
    const wide = page.locator('#post img');
    await isSeen(wide);
    assert.match(await wide.getAttribute('src'), /\?size=wide$/);
    const answer = await page.request.get(new URL(await wide.getAttribute('src'), blog).href);
    assert.equal(answer.headers()['cache-control'], 'public, no-cache');
  },

  'blog: a cover upload shows progress and errors; only readers of the post see it; it is removed': async (world) => {
    const { page, blog } = await visitBlog(world);
    await register(page, blog, world.newPerson());
    const input = page.getByLabel('Cover', { exact: true });
    const fault = page.locator('#cover-fault');
    for (const [file, words] of [
      [imageFile(0, 'notes.txt', 'text/plain'), 'This file type is not supported.'],
      [imageFile(5_000_000), 'This file is too large (5.01 MB). The limit is 5 MB.'],
      [imageFile(4_000_000), 'This file is too large. The limit is 4 MB.'],
      [{ ...imageFile(), buffer: Buffer.from('<!doctype html><p>no') }, 'This file is not an image, or it is damaged.'],
      [imageFile(2_600_000), 'Your storage is full.'],
    ]) {
      await input.setInputFiles(file);
      await fault.getByText(words).waitFor();
      assert.equal(await input.getAttribute('aria-invalid'), 'true');
      assert.equal(await page.locator('#cover-shown').isVisible(), false);
    }

    let go;
    const blocked = new Promise((resolve) => (go = resolve));
    await page.route('**/api/files', (route) => blocked.then(() => route.continue()));
    await input.setInputFiles(imageFile());
    await page.getByRole('progressbar').waitFor();
    await press(page, 'Cancel upload');
    await fault.getByText('The upload was cancelled.').waitFor();
    await input.setInputFiles(imageFile());
    await fillPost(page, { title: 'Hills at dusk', author: 'Una Writer' });
    await press(page, 'Save as draft');
    await page.getByRole('progressbar').waitFor();
    go();
    await seeHeading(page, 'Hills at dusk');
    const cover = page.locator('#post img');
    await isSeen(cover);
    const draft = await cover.getAttribute('src');
    const guest = await visitBlog(world);
    const plain = new URL(draft.replace(/\?.*/, ''), blog).href;
    assert.equal((await guest.page.request.get(`${plain}?size=wide`)).status(), 404);
    await page.goto(`${blog}/?status=draft`);
    await isSeen(page.locator('#posts img').first());

    await page.getByRole('link', { name: 'Hills at dusk' }).click();
    await page.getByRole('link', { name: 'Edit this post' }).click();
    await isSeen(page.locator('#cover-image img'));
    await page.getByLabel('Image description').fill('A low sun behind rows of hills');
    await press(page, 'Publish');
    await page.getByRole('img', { name: 'A low sun behind rows of hills' }).waitFor();
    await guest.page.goto(page.url());
    await isSeen(guest.page.getByRole('img', { name: 'A low sun behind rows of hills' }));
    assert.equal((await guest.page.request.get(`${plain}?size=wide`)).status(), 200);

    await page.getByRole('link', { name: 'Edit this post' }).click();
    await press(page, 'Remove the cover');
    await page.locator('#cover-shown').waitFor({ state: 'hidden' });
    await press(page, 'Publish');
    await seeHeading(page, 'Hills at dusk');
    assert.equal(await cover.count(), 0);
    assert.equal((await guest.page.request.get(`${plain}?size=wide`)).status(), 404);
    await press(page, 'Sign out');
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.equal(
      (await page.request.get(new URL(draft, blog).href)).status(),
      404,
      'the address ended with the session',
    );
  },

  'blog: every page passes axe and fits a small screen': async (world) => {
    const { page, blog } = await visitBlog(world, { reducedMotion: 'reduce' });
    const faults = [];
    const look = async (name) => {
      await page.setViewportSize(SIZES.wide);
      await page.getByRole('heading', { level: 1 }).waitFor();
      faults.push(
        ...(await checkAppearance(page, join(world.artifacts, `blog-${name}`))).map((fault) => `${name} ${fault}`),
      );
    };
    await look('list');
    await page
      .getByRole('article')
      .filter({ has: page.locator('img') })
      .first()
      .getByRole('link')
      .first()
      .click();
    await isSeen(page.locator('#post img'));
    await look('post');
    await page.goto(`${blog}/?q=nothing`);
    await see(page, 'No posts found.');
    await look('none');
    await page.goto(`${blog}/sign-in.html`);
    await press(page, 'Create account');
    await page.locator('#email[aria-invalid]').waitFor();
    await look('sign-in');
    await register(page, blog, world.newPerson());
    await press(page, 'Publish');
    await page.locator('#title[aria-invalid]').waitFor();
    await look('write');
    await page.getByLabel('Cover', { exact: true }).setInputFiles(imageFile());
    await page.getByText('Uploaded.').waitFor();
    await look('write-cover');
    await page.getByLabel('Cover', { exact: true }).setInputFiles(imageFile(5_000_000));
    await see(page, 'This file is too large');
    await look('write-refused');
    assert.deepEqual(faults, []);
  },
};

async function visitBlog(world, options = {}) {
  const blog = await startBlog(world, POSTS);
  const { page } = await world.visitor({ ...options, origins: [blog] });
  await page.goto(blog);
  return { page, blog };
}

/** Waits until an image is loaded. An image without `src` reports that it is complete while its URL is still being requested. */
async function isSeen(image) {
  await image.scrollIntoViewIfNeeded();
  await image.evaluate(
    (image) =>
      (image.hasAttribute('src') && image.complete) ||
      new Promise((resolve) => image.addEventListener('load', resolve)),
  );
  assert.ok(await image.evaluate(({ naturalWidth }) => naturalWidth > 1));
}

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
