import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { fillAccount, press, see, seeHeading, signIn } from './support/pages.mjs';
import { rows } from './support/records-fixture.mjs';
import { PASSWORD } from './support/world.mjs';

const BLOG = fileURLToPath(new URL('../../examples/blog/schemas/blog.json', import.meta.url));
const ROOT = { email: 'founder@example.com', username: 'founder', password: PASSWORD };
const READER = 'reader@example.com';
const POSTS = 10_000;
const PUBLISHED = "record.status == 'published'";

const parts = (page) => page.getByRole('navigation', { name: 'Sections' });
const go = (page, part) => parts(page).getByRole('link', { name: part }).click();
const cellOf = (page, role, schema) => page.getByRole('link', { name: new RegExp(`^${role}, ${schema}: `) });
const choiceOf = (page, action) => page.getByLabel(action, { exact: true });

async function openRecords(page, schema) {
  await go(page, 'Records');
  await seeHeading(page, 'Records');
  await page.getByRole('main').getByRole('link', { name: schema, exact: true }).click();
  await seeHeading(page, schema);
}

async function bringIn(page, schema, lines) {
  await openRecords(page, schema);
  await press(page, 'Import…');
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'records.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) });
  await press(page, 'Check the file');
  const count = (lines.length - 1).toLocaleString('en');
  await see(page, `No errors. ${count} new, 0 updated records.`);
  await page.getByRole('button', { name: /^Import / }).click();
  await see(page, `Done: ${count} new, 0 updated records.`);
  await rows(page).first().waitFor();
}

async function openSchema(page, name) {
  await go(page, 'Data model');
  await seeHeading(page, 'Data model');
  await page.getByRole('list', { name: 'Data model' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('group', { name: 'title', exact: true }).waitFor();
}

async function apply(page) {
  await press(page, 'Apply');
  await see(page, 'The change of post was applied.');
}

/** From an empty service to a blog with users and rules, in one browser, without API calls and command line. */
export const consoleSetupScenarios = {
  'console set-up: sets up a blog with ten thousand posts, rules and users in the console only': async (world) => {
    const service = await world.start({});
    const { page } = await world.visitor();
    await page.goto(service.setupAddress);
    await fillAccount(page, ROOT);
    await press(page, 'Create administrator');
    await see(page, 'You are signed in as the first administrator.');
    await page.getByRole('link', { name: 'data model', exact: true }).click();
    await seeHeading(page, 'Data model');

    // The data model of the blog, from its file.
    await press(page, 'Import schemas…');
    await page.getByLabel('Files', { exact: true }).setInputFiles(BLOG);
    await see(page, 'Creates the table "posts"');
    await press(page, 'Apply');
    await see(page, /^The change of \d+ schemas was applied\.$/);

    // Import of ten thousand records.
    await bringIn(page, 'Author', ['name,email', 'Ada,ada@example.com', 'Bo,bo@example.com']);
    const posts = Array.from({ length: POSTS }, (_, n) => {
      const [status, author] = [n % 2 === 0 ? 'published' : 'draft', n % 3 === 0 ? 'ada' : 'bo'];
      return `Post ${n},post-${n},"Text, of ${n}",${status},${n},${author}@example.com`;
    });
    await bringIn(page, 'Post', ['title,slug,body,status,views,author.email', ...posts]);
    await press(page, 'Count');
    await see(page, /10,000/);

    // A renamed field keeps its data.
    await openSchema(page, 'post');
    await page.getByRole('group', { name: 'views', exact: true }).getByLabel('Name').fill('reads');
    await press(page, 'Show the plan');
    await see(page, /Renames .*views.* to .*reads/);
    await apply(page);
    // A removed field shows the affected data, and an undo restores it.
    await openSchema(page, 'post');
    await press(page, 'Remove reads');
    await press(page, 'Show the plan');
    await see(page, '10,000 rows lose data');
    await page.getByLabel('I accept the data loss').check();
    await apply(page);
    await press(page, 'Undo…');
    await page.getByRole('button', { name: /^Undo version \d+$/ }).click();
    await page.getByRole('button', { name: /^Undo version \d+$/ }).waitFor({ state: 'detached' });
    await openRecords(page, 'Post');
    await page.getByPlaceholder(/^Search, or filter/).fill('reads = 9998');
    await press(page, 'Apply');
    await page.getByRole('gridcell', { name: 'Post 9998', exact: true }).waitFor();

    // A role with a rule, and a user with the role.
    await openRecords(page, 'Role');
    await page.getByRole('link', { name: 'New record' }).click();
    await page.getByLabel('Name', { exact: true }).fill('reader');
    await page.getByLabel('Days without a second factor', { exact: true }).fill('7');
    await page.getByLabel('File quota', { exact: true }).fill('-1');
    await press(page, 'Save');
    await see(page, /a whole number of bytes, 0 for no bound/);
    await page.getByLabel('File quota', { exact: true }).fill('5000000');
    await press(page, 'Save');
    await page.getByRole('heading', { name: /reader/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /reader/ }).waitFor();
    assert.equal(await page.getByLabel('File quota', { exact: true }).inputValue(), '5000000');
    await go(page, 'Access');
    await cellOf(page, 'reader', 'post').click();
    for (const action of ['List', 'Read']) {
      await choiceOf(page, action).selectOption('rule');
      await page.getByRole('textbox', { name: `Rule of content.post.${action === 'List' ? 'list' : 'get'}` }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(PUBLISHED);
    }
    await page
      .getByRole('region', { name: /^Unsaved changes/ })
      .getByText(PUBLISHED)
      .first()
      .waitFor();
    await press(page, 'Save');
    await see(page, 'Saved.');
    await openRecords(page, 'User');
    await page.getByRole('link', { name: 'New record' }).click();
    await page.getByLabel('Email', { exact: true }).fill(READER);
    await page.getByRole('combobox', { name: 'Roles' }).fill('reader');
    await page.getByRole('option', { name: 'reader' }).click();
    await page.getByLabel(/^Invite by e-mail/).check();
    await press(page, 'Save');
    const { links } = await world.mailbox.mailTo(READER);
    const reader = await world.visitor();
    await reader.page.goto(links[0]);
    await reader.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await reader.page.getByLabel('Repeat password', { exact: true }).fill(PASSWORD);
    await press(reader.page, 'Accept the invitation');
    await seeHeading(reader.page, 'Your account is ready');

    // Explains why the user cannot see a draft, and shows the user's view.
    await openRecords(page, 'Post');
    await page.getByPlaceholder(/^Search, or filter/).fill('reads = 9999');
    await press(page, 'Apply');
    await page.getByRole('gridcell', { name: 'Post 9999', exact: true }).waitFor();
    await page.getByRole('link', { name: /^Open/ }).first().click();
    await page.getByRole('link', { name: 'Explain access' }).click();
    await page.getByLabel('Role or user', { exact: true }).selectOption('person');
    await page.getByLabel('E-mail address of the user').fill(READER);
    await press(page, 'Explain');
    await see(page, 'Denied.');
    await page
      .getByRole('list', { name: 'Relevant permissions' })
      .getByRole('img', { name: 'false' })
      .first()
      .waitFor();
    await press(page, 'View as this user');
    await see(page, `Viewing as ${READER}. This view is read-only.`);
    await page.getByRole('main').getByRole('link', { name: 'Post', exact: true }).click();
    await press(page, 'Count');
    await see(page, /5,000/);
    assert.equal(await page.getByRole('heading', { name: 'Import records' }).count(), 0);
    await press(page, 'Stop viewing as');

    // The user signs in: the post is visible, but nothing can be changed.
    await signIn(reader.page, service, { email: READER, password: PASSWORD });
    await reader.page.goto(`${service.url}/dash/records/post?sort=slug`);
    await rows(reader.page).first().waitFor();
    assert.equal(await reader.page.getByRole('link', { name: 'New record' }).count(), 0);
  },
};
