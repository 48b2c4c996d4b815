import assert from 'node:assert/strict';
import { focused, pathOf, press, see, seeHeading, signIn } from './support/pages.mjs';
import { asking, cell, editor, recordsService, rows, TAGGER, usesTheApi } from './support/records-fixture.mjs';

/** Presses Ctrl+End until the end of the list is visible: each press loads another page, which may be slow. */
async function throughPages(page, end) {
  for (const until = Date.now() + 60_000; Date.now() < until; await page.waitForTimeout(250)) {
    await page.keyboard.press('Control+End');
    if (await end.isVisible()) return;
  }
  throw new Error('the end of the list is not reached');
}

const filterBox = (page) => page.getByLabel('Filter as text');

export const recordScenarios = {
  'records: a list is filtered, sorted and paged by keyboard, and its URL is the view': async (world) => {
    const { page, service } = await editor(world);
    const requestedUrls = [];
    page.on('request', (request) => requestedUrls.push(new URL(request.url())));
    await page.goto(`${service.url}/dash/records/post`);
    await rows(page).first().waitFor();
    const lists = requestedUrls.filter((url) => pathOf(url) === '/api/content/post');
    assert.equal(lists.length, 1);
    assert.equal(lists[0].searchParams.get('cursor'), '');
    assert.doesNotMatch(lists[0].searchParams.get('select'), /body/);

    await press(page, 'Count');
    await see(page, '450 records');

    await cell(page, 0, 2).focus();
    await throughPages(page, cell(page, 449, 8));
    assert.ok((await rows(page).count()) <= 200);
    await page.keyboard.press('Control+Home');
    await cell(page, 0, 0).waitFor();

    await filterBox(page).fill('status = draft and (views > 10');
    await press(page, 'Apply');
    await see(page, /^A bracket is missing/);
    await filterBox(page).fill('status = draft and (views > 10 or author.name contains "zzz")');
    await press(page, 'Apply');
    await page.waitForURL(/filter=/);
    await rows(page).first().waitFor();
    assert.deepEqual(new Set(await texts(page, 'Status')), new Set(['Draft']));
    await press(page, 'Build');
    await page.getByRole('group', { name: 'Status' }).getByLabel('Value').selectOption('published');
    assert.equal(
      await filterBox(page).inputValue(),
      'status = "published" and (views > 10 or author.name contains "zzz")',
    );
    await press(page, 'Apply');
    await page.getByText('Published', { exact: true }).first().waitFor();

    await page.getByRole('button', { name: 'Sort by Views' }).or(page.getByTitle('Sort by Views')).click();
    await page.waitForURL(/sort=views/);
    await rows(page).first().waitFor();
    const views = (await texts(page, 'Views')).map((text) => Number(text.replace(',', '')));
    assert.deepEqual(
      views,
      [...views].sort((one, other) => one - other),
    );
    const address = page.url();
    await page.reload();
    await rows(page).first().waitFor();
    assert.equal(page.url(), address);
    assert.match(await filterBox(page).inputValue(), /^status = "published"/);

    await page.getByRole('button', { name: 'Views', exact: true, expanded: false }).click();
    await page.getByLabel('Name of the view').fill('busy posts');
    await press(page, 'Save this view');
    await page.getByRole('button', { name: 'busy posts', exact: true }).waitFor();
    await page.goto(`${service.url}/dash/records/post`);
    await page.getByRole('button', { name: 'Views', exact: true, expanded: false }).click();
    await press(page, 'busy posts');
    await page.waitForURL(/sort=views/);
    await usesTheApi(page, service);
  },

  'records: cell edits are one batch; conflicts are shown field by field': async (world) => {
    const { page, service } = await editor(world);
    const ask = await asking(service);
    await page.goto(`${service.url}/dash/records/post?columns=title,views,status&sort=slug`);
    await rows(page).first().waitFor();
    const batches = [];
    page.on('request', (request) => request.url().endsWith('/api/batch') && batches.push(request.postDataJSON()));
    for (const row of [0, 1, 2]) {
      await cell(page, row, 3).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+A');
      await page.keyboard.type(String(7_000 + row));
      await page.keyboard.press('Enter');
      await cell(page, row, 3).waitFor();
    }
    await cell(page, 3, 3).focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('nonsense');
    await page.keyboard.press('Escape');
    await see(page, '3 unsaved changes');
    const [{ id }] = await firstPosts(ask);
    await ask('PATCH', `/api/content/post/${id}`, { views: 1 });
    await page.keyboard.press('Control+s');
    await see(page, /^Changed by another user/);
    assert.equal(batches.length, 1);
    assert.equal(batches[0].operations.length, 3);
    assert.ok(batches[0].operations.every(({ if_match }) => if_match.startsWith('"')));
    await page
      .getByRole('row', { name: /^Views/ })
      .getByText('7,000')
      .waitFor();
    await page.getByLabel('Views: Take theirs').check();
    await press(page, 'Merge');
    await see(page, '2 unsaved changes');
    await press(page, 'Save');
    await page.getByText('unsaved changes').waitFor({ state: 'detached' });
    const saved = await firstPosts(ask);
    assert.deepEqual(saved.map(({ views }) => views).slice(0, 3), [1, 7_001, 7_002]);
  },

  'records: all matching records are counted, changed, deleted and restored': async (world) => {
    const { page, service } = await editor(world);
    const filter = encodeURIComponent('{"views":{"$lt":700}}');
    await page.goto(`${service.url}/dash/records/post?filter=${filter}&columns=title,views`);
    await rows(page).first().waitFor();
    const ask = await asking(service);
    const { total } = await ask('GET', `/api/content/post?filter=${filter}&limit=1`);
    await cell(page, 0, 0).check();
    await see(page, '1 selected');
    await press(page, 'Select all matching records');
    await see(page, `All ${total} matching records selected`);
    await press(page, 'Edit a field');
    await page.getByRole('region').getByLabel('Field').selectOption('views');
    await page.getByRole('region').getByLabel('Value').fill('650');
    await page.getByRole('region').locator('form').getByRole('button', { name: 'Edit a field' }).click();
    await see(page, `Change ${total} records?`);
    assert.equal(await focused(page), 'Cancel');
    await press(page, 'Yes, continue');
    await see(page, `${total} records processed.`);
    await press(page, 'Close');
    await page.getByText('650').first().waitFor();
    assert.deepEqual(new Set(await texts(page, 'Views')), new Set(['650']));

    await cell(page, 0, 0).check();
    await press(page, 'Select all matching records');
    await see(page, `All ${total} matching records selected`);
    await press(page, 'Delete');
    await see(page, `Delete ${total} records?`);
    await press(page, 'Yes, continue');
    await see(page, `${total} records processed.`);
    await press(page, 'Close');
    await see(page, 'No records match the filter.');
    await press(page, 'Show deleted records');
    await rows(page).first().waitFor();
    await cell(page, 0, 0).check();
    await press(page, 'Select all matching records');
    await see(page, `All ${total} matching records selected`);
    await press(page, 'Restore');
    await press(page, 'Yes, continue');
    await see(page, `${total} records processed.`);
    assert.equal((await ask('GET', `/api/content/post?filter=${filter}&limit=1`)).total, total);
  },

  'records: a form restores its draft after a reload, shows newer values and finds related records': async (world) => {
    const { page, service } = await editor(world);
    const ask = await asking(service);
    const [, , , , { id, title }] = await firstPosts(ask);
    const requestedUrls = [];
    page.on('request', (request) => requestedUrls.push(new URL(request.url())));
    await page.goto(`${service.url}/dash/records/post/${id}`);
    await seeHeading(page, title);
    const reads = requestedUrls.filter((url) => pathOf(url).startsWith('/api/content/'));
    assert.ok(reads.length <= 2, `${reads.length} requests`);
    await page.getByLabel('Views', { exact: true }).fill('many');
    await see(page, 'This is not a whole number.');
    await page.getByLabel('Views', { exact: true }).fill('123');
    await page.getByLabel('Title', { exact: true }).fill('A title of mine');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await see(page, 'You have an unsaved draft.');
    assert.equal(await page.getByLabel('Title', { exact: true }).inputValue(), 'A title of mine');

    await ask('PATCH', `/api/content/post/${id}`, { title: 'A title of theirs' });
    await press(page, 'Save');
    await see(page, 'Another user has changed this record.');
    await see(page, 'A title of theirs');
    await page.getByLabel('Title: Keep yours').check();
    await press(page, 'Merge');
    await page
      .getByRole('button', { name: /^Replace / })
      .first()
      .click();
    const search = page.getByRole('combobox', { name: 'Author' });
    const found = page.getByRole('listbox').getByRole('option');
    await found.first().waitFor();
    assert.ok((await found.count()) <= 20);
    const author = (await found.nth(2).innerText()).trim();
    await search.fill(author);
    await page.getByText('Searching…').waitFor();
    await page.getByRole('option', { name: author }).waitFor();
    await page.keyboard.press('Enter');
    await press(page, 'Save');
    await page.getByText('Saved.', { exact: true }).waitFor();
    const saved = await ask('GET', `/api/content/post/${id}?select=title,views,author.name`);
    assert.deepEqual([saved.title, saved.views, saved.author.name], ['A title of mine', 123, author]);

    await press(page, 'Delete');
    await press(page, 'Delete 1 record?');
    await see(page, 'This record is deleted.');
    await press(page, 'Restore');
    await page.getByText('This record is deleted.').waitFor({ state: 'detached' });
    await page.goto(`${service.url}/dash/records/tag/new`);
    const {
      items: [tag],
    } = await ask('GET', '/api/content/tag?limit=1');
    await page.getByLabel('Name', { exact: true }).fill(tag.name);
    await press(page, 'Save');
    await page.locator('[aria-invalid=true]:focus').waitFor();
    assert.equal(await focused(page), 'Name');
    await page.getByLabel('Name', { exact: true }).fill('brand new');
    await press(page, 'Save');
    await seeHeading(page, 'brand new');
  },

  'records: a user is invited with a role, and a session of another user is revoked': async (world) => {
    const { page, service } = await editor(world);
    await page.goto(`${service.url}/dash/records/user/new`);
    await page.getByLabel('Email', { exact: true }).fill('guest@example.com');
    await page.getByRole('combobox', { name: 'Roles' }).fill('tagger');
    await page.getByRole('option', { name: 'tagger' }).click();
    await page.getByLabel(/^Invite by e-mail/).check();
    await press(page, 'Save');
    await page
      .getByText('guest@example.com')
      .or(page.getByRole('heading', { name: 'User' }))
      .first()
      .waitFor();
    const { links } = await world.mailbox.mailTo('guest@example.com');
    assert.match(links[0], /\/dash\/invitation/);

    const other = await world.visitor();
    await signIn(other.page, service, TAGGER);
    const filter = encodeURIComponent(JSON.stringify({ 'user.email': TAGGER.email }));
    await page.goto(`${service.url}/dash/records/session?filter=${filter}`);
    await rows(page).first().waitFor();
    await page.getByLabel('Select all loaded records').check();
    await press(page, 'Delete');
    await press(page, 'Yes, continue');
    await see(page, /records? processed/);
    await other.page.reload();
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  },

  'records: a user who can only list one schema sees this schema, read-only': async (world) => {
    const service = await recordsService(world);
    const { page } = await world.visitor();
    await signIn(page, service, TAGGER);
    await page.getByRole('link', { name: 'Records' }).click();
    await seeHeading(page, 'Records');
    const list = page.getByRole('list', { name: 'Schemas' });
    await list.getByRole('link', { name: 'Tag' }).waitFor();
    const schemas = await list.getByRole('link').allInnerTexts();
    assert.ok(schemas.includes('Tag') && !schemas.includes('Post'), schemas.join());
    await list.getByRole('link', { name: 'Tag' }).click();
    await rows(page).first().waitFor();
    for (const name of ['New record', 'Show deleted records', 'Views'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'New record' }).count(), 0);
    await press(page, 'API');
    await page.getByRole('region', { name: 'List records' }).waitFor();
    assert.deepEqual(await page.locator('details summary span').allInnerTexts(), [
      'List records',
      'Export all records that match a filter',
    ]);
    await page.goto(`${service.url}/dash/records/post`);
    await see(page, 'The schema does not exist, or you do not have access to it.');
  },
};

async function firstPosts(ask) {
  return (await ask('GET', '/api/content/post?sort=slug&limit=10&select=id,title,views')).items;
}

async function texts(page, label) {
  const heads = await page.locator('[role=columnheader]').allInnerTexts();
  const column = heads.findIndex((head) => head.replace(/[↑↓]/, '').trim() === label);
  return page.locator(`[role=gridcell][data-column="${column}"]`).allInnerTexts();
}
