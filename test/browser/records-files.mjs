import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { press, see } from './support/pages.mjs';
import { asking, editor, rows } from './support/records-world.mjs';

/** Records that leave as a file, and come back. */
export const recordFileScenarios = {
  'records: what a list finds leaves as a file, and comes back where every fault of it is seen first': async (
    world,
  ) => {
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
    const faults = page.getByRole('region', { name: '2 faults in the file' });
    await faults.getByRole('row', { name: /^3 name / }).waitFor();
    await faults.getByRole('row', { name: /^4 name / }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Bring in \d/ }).count(), 0);
    await press(page, 'Dismiss');
    await page.getByLabel('File', { exact: true }).setInputFiles(file('name;slug\nImported one;\nImported two;\n'));
    await page.getByLabel('Between the cells').selectOption('semicolon');
    await press(page, 'Check the file');
    await see(page, 'Nothing is wrong. 2 would be new, 0 changed.');
    await press(page, 'Bring in 2 records');
    await see(page, 'Done: 2 new, 0 changed.');
    await press(page, 'Dismiss');
    await page.getByRole('gridcell', { name: 'Imported one', exact: true }).waitFor();
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles(file('name,slug\nRenamed,imported-two\nThree,imported-three\n'));
    await page.getByLabel('Between the cells').selectOption('comma');
    await page.getByLabel('What the records are').selectOption('upsert');
    await page.getByLabel('Found by').selectOption('slug');
    await press(page, 'Check the file');
    await see(page, 'Nothing is wrong. 1 would be new, 1 changed.');
    await press(page, 'Bring in 2 records');
    await see(page, 'Done: 1 new, 1 changed.');
    await press(page, 'Dismiss');
    const ask = await asking(service);
    const filter = encodeURIComponent(JSON.stringify({ name: { $in: ['Imported one', 'Renamed', 'Three'] } }));
    const { items } = await ask('GET', `/api/content/category?filter=${filter}&sort=name&select=id,name`);
    assert.deepEqual(
      items.map(({ name }) => name),
      ['Imported one', 'Renamed', 'Three'],
    );
    for (const { id } of items) await ask('DELETE', `/api/content/category/${id}`);
  },

  'records: ten thousand come in while the page is away, but for the faulty ones, and are taken back': async (
    world,
  ) => {
    const { page, service } = await editor(world);
    await page.goto(`${service.url}/dash/records/category?sort=name`);
    await rows(page).first().waitFor();
    const ask = await asking(service);
    const count = async () => (await ask('GET', '/api/content/category?count=exact&limit=1')).total;
    const before = await count();
    const lines = Array.from({ length: 10_000 }, (_, at) => (at % 1_000 === 0 ? ',' : `Many ${at},`));
    const buffer = Buffer.from(['name,slug', ...lines].join('\n'));
    await press(page, 'Import…');
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'many.csv', mimeType: 'text/csv', buffer });
    await press(page, 'Check the file');
    await page.getByText(/^Checked: [\d,]+ of 10,000$/).waitFor();
    await page.reload();
    await page.getByRole('region', { name: '20 faults in the file' }).waitFor();
    assert.equal(await count(), before);
    const download = page.waitForEvent('download');
    await press(page, 'All faults as a file');
    const faults = await readFile(await (await download).path(), 'utf8');
    assert.equal(faults.split('\r\n')[1], '2,"name","value_invalid","it cannot be empty"');
    await press(page, 'Bring in the others');
    await page.getByText(/^Written: [\d,]+ of 10,000$/).waitFor();
    await page.goto('about:blank');
    await page.goto(`${service.url}/dash/records/category?sort=name`);
    await see(page, 'Done: 9,990 new, 0 changed.');
    assert.equal(await count(), before + 9_990);
    await press(page, 'Undo');
    await see(page, 'Undone: 9,990 records were deleted again.');
    assert.equal(await count(), before);
    await press(page, 'Dismiss');
    await page.getByRole('group', { name: 'A file of 10,000 records' }).waitFor({ state: 'detached' });
  },
};
