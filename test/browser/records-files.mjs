import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { largeImage, partWhile } from './support/large-image.mjs';
import { press, see } from './support/pages.mjs';
import { asking, editor, rows } from './support/records-fixture.mjs';

const DOT = largeImage(400_000);

export const recordFileScenarios = {
  'records: a filtered list is exported and imported again; all errors are shown before the import': async (world) => {
    const { page, service } = await editor(world);
    await page.goto(`${service.url}/dash/records/category?sort=name`);
    await rows(page).first().waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV', exact: true }).click();
    const exported = await readFile(await (await download).path(), 'utf8');
    assert.match(exported, /^id,name,slug,/);
    await page.keyboard.press('Escape');

    const file = (text) => ({ name: 'categories.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await press(page, 'Import…');
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles(file('name,slug\nImported one,\n,no-name\nImported one,\n'));
    await press(page, 'Check the file');
    const faults = page.getByRole('region', { name: '2 errors in the file' });
    await faults.getByRole('row', { name: /^3 name / }).waitFor();
    await faults.getByRole('row', { name: /^4 name / }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Import \d/ }).count(), 0);
    await press(page, 'Dismiss');
    await page.getByLabel('File', { exact: true }).setInputFiles(file('name;slug\nImported one;\nImported two;\n'));
    await page.getByLabel('Delimiter').selectOption('semicolon');
    await press(page, 'Check the file');
    await see(page, 'No errors. 2 new, 0 updated records.');
    await press(page, 'Import 2 records');
    await see(page, 'Done: 2 new, 0 updated records.');
    await press(page, 'Dismiss');
    await page.getByRole('gridcell', { name: 'Imported one', exact: true }).waitFor();
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles(file('name,slug\nRenamed,imported-two\nThree,imported-three\n'));
    await page.getByLabel('Delimiter').selectOption('comma');
    await page.getByLabel('Mode').selectOption('upsert');
    await page.getByLabel('Key field').selectOption('slug');
    await press(page, 'Check the file');
    await see(page, 'No errors. 1 new, 1 updated records.');
    await press(page, 'Import 2 records');
    await see(page, 'Done: 1 new, 1 updated records.');
    await press(page, 'Dismiss');

    // Unknown columns must be mapped to fields. The mapping is remembered.
    const other = file('Bezeichnung;SLUG;Nr\nFour;imported-four;4\n');
    await page.getByLabel('File', { exact: true }).setInputFiles(other);
    await see(page, '3 columns are not assigned');
    assert.equal(await page.getByRole('button', { name: 'Check the file' }).isDisabled(), true);
    await press(page, 'Assign by name: SLUG → slug');
    await page.getByLabel('Field for Bezeichnung').selectOption('name');
    await press(page, 'Skip the other columns');
    await see(page, 'All 3 columns are assigned');
    await page.reload();
    await press(page, 'Import…');
    await page.getByLabel('File', { exact: true }).setInputFiles(other);
    await see(page, 'All 3 columns are assigned');
    await press(page, 'Check the file');
    await see(page, 'No errors. 1 new, 0 updated records.');
    await press(page, 'Import 1 record');
    await see(page, 'Done: 1 new, 0 updated records.');
    await press(page, 'Dismiss');
    const ask = await asking(service);
    const filter = encodeURIComponent(JSON.stringify({ name: { $in: ['Imported one', 'Renamed', 'Three', 'Four'] } }));
    const { items } = await ask('GET', `/api/content/category?filter=${filter}&sort=name&select=id,name`);
    assert.deepEqual(
      items.map(({ name }) => name),
      ['Four', 'Imported one', 'Renamed', 'Three'],
    );
    for (const { id } of items) await ask('DELETE', `/api/content/category/${id}`);
  },

  'records: a form uploads and shows an image, and creates a related record': async (world) => {
    const { page, service } = await editor(world);
    await page.goto(`${service.url}/dash/records/post/new`);
    await page.getByLabel('Title', { exact: true }).fill('A post with a dot');
    await page.getByLabel('Slug', { exact: true }).fill('a-post-with-a-dot');
    await page.getByLabel('Body', { exact: true }).fill('It is there.');
    await press(page, 'New: Author');
    const author = page.getByRole('group', { name: 'New: Author' });
    await author.getByLabel('Name', { exact: true }).fill('Dot Writer');
    await author.getByLabel('Email', { exact: true }).fill('dot@example.com');
    await page.keyboard.press('Enter');
    await author.waitFor({ state: 'detached' });
    // Slow uploads show their progress.
    const part = await partWhile(
      page,
      () => page.locator('input[type=file]').setInputFiles({ name: 'dot „1“.png', mimeType: 'image/png', buffer: DOT }),
      page.getByRole('progressbar', { name: 'Choose a file…' }),
    );
    assert.ok(part > 0 && part < 1, String(part));
    await page.getByRole('img', { name: 'Image: dot „1“.png' }).waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await see(page, 'You have an unsaved draft.');
    await see(page, 'Dot Writer');
    await press(page, 'Save');
    await page.getByRole('heading', { level: 1, name: 'A post with a dot' }).waitFor();
    const picture = page.getByRole('img', { name: 'Image: dot „1“.png' });
    await picture.waitFor();
    await page.waitForFunction((image) => image.naturalWidth === 1, await picture.elementHandle());
    const download = page.waitForEvent('download');
    await press(page, 'Save dot „1“.png');
    assert.deepEqual(await readFile(await (await download).path()), DOT);
    const ask = await asking(service);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const post = await ask('GET', `/api/content/post/${id}?select=author.name,author.email,cover.name,cover.type`);
    assert.deepEqual(post, {
      author: { name: 'Dot Writer', email: 'dot@example.com' },
      cover: { name: 'dot „1“.png', type: 'image/png' },
    });
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('no') });
    await see(page, 'The file type is not allowed.');
    await ask('DELETE', `/api/content/post/${id}`);
  },

  'records: files are reordered by keyboard and mouse': async (world) => {
    const { page, service } = await editor(world);
    const ask = await asking(service);
    const photos = { type: 'file', name: 'photos', multiple: true, optional: true };
    await ask('POST', '/api/schema', {
      name: 'album',
      namespace: 'albums',
      label_field: 'title',
      fields: [{ type: 'string', name: 'title' }, photos],
    });
    await page.goto(`${service.url}/dash/records/album/new`);
    await page.getByLabel('Title', { exact: true }).fill('In order');
    const files = ['a', 'b', 'c'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }));
    await page.locator('input[type=file]').setInputFiles(files);
    const chosen = page.getByRole('list', { name: 'Photos' }).getByRole('listitem');
    await chosen.nth(2).waitFor();
    await page.getByRole('button', { name: 'Move a back' }).focus();
    await page.keyboard.press('Enter');
    await chosen.nth(1).getByText('a', { exact: true }).waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Move a back');
    await page.keyboard.press('Enter');
    await chosen.nth(2).getByText('a', { exact: true }).waitFor();
    await press(page, 'Save');
    await page.getByRole('heading', { level: 1, name: 'In order' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const order = async () =>
      (await ask('GET', `/api/content/album/${id}?select=photos.name`)).photos.map(({ name }) => name).join('');
    assert.equal(await order(), 'bca');
    await chosen.nth(2).dragTo(chosen.nth(0));
    await chosen.nth(0).getByText('a', { exact: true }).waitFor();
    await press(page, 'Save');
    await see(page, 'Saved.');
    assert.equal(await order(), 'abc');
    await ask('DELETE', '/api/schema/album?allow_data_loss=true');
  },

  'records: an import of ten thousand continues while the page is closed, reports invalid rows and is undone': async (
    world,
  ) => {
    const { page, service } = await editor(world);
    await page.goto(`${service.url}/dash/records/category?sort=name`);
    await rows(page).first().waitFor();
    const ask = await asking(service);
    const count = async () => (await ask('GET', '/api/content/category?count=exact&limit=1')).total;
    const before = await count();
    const lines = Array.from({ length: 10_000 }, (_, at) => (at % 1_000 === 0 ? `,none-${at}` : `Many ${at},`));
    const buffer = Buffer.from(['name,slug', ...lines].join('\n'));
    await press(page, 'Import…');
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'many.csv', mimeType: 'text/csv', buffer });
    const part = await partWhile(
      page,
      () => press(page, 'Check the file'),
      page.getByRole('progressbar', { name: 'Uploading the file…' }).first(),
    );
    assert.ok(part > 0 && part < 1, String(part));
    await page.getByText(/^Checked: [\d,]+ of 10,000$/).waitFor();
    await page.reload();
    await page.getByRole('region', { name: '10 errors in the file' }).waitFor();
    assert.equal(await count(), before);
    const download = page.waitForEvent('download');
    await press(page, 'Download all errors');
    const faults = await readFile(await (await download).path(), 'utf8');
    assert.equal(faults.split('\r\n')[1], '2,"name","value_invalid","it cannot be empty"');
    await press(page, 'Import the valid records');
    await page.getByText(/^Written: [\d,]+ of 10,000$/).waitFor();
    await page.goto('about:blank');
    await page.goto(`${service.url}/dash/records/category?sort=name`);
    await see(page, 'Done: 9,990 new, 0 updated records.');
    assert.equal(await count(), before + 9_990);
    await press(page, 'Undo');
    await see(page, 'Undone: 9,990 records were deleted.');
    assert.equal(await count(), before);
    await press(page, 'Dismiss');
    await page.getByRole('group', { name: 'File with 10,000 records' }).waitFor({ state: 'detached' });
  },
};
