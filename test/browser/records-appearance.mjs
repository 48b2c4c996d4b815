import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, see } from './support/pages.mjs';
import { cell, editor, rows } from './support/records-fixture.mjs';
import { scriptsOf } from './support/script-size.mjs';

const MAX_SCRIPT_BYTES = 260 * 1_024;

export const recordAppearanceScenarios = {
  'records: every page is screenshotted, passes axe and fits a small screen': async (world) => {
    const { page, service } = await editor(world);
    const faults = [];
    for (const [name, open] of Object.entries(VIEWS)) {
      await page.setViewportSize(SIZES.wide);
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await open(page, service);
      faults.push(...(await checkAppearance(page, join(world.artifacts, name))).map((fault) => `${name} ${fault}`));
    }
    assert.deepEqual(faults, []);
  },

  'records: the script of the first console page is below 260 KB compressed': async (world) => {
    const { page, service } = await editor(world);
    for (const path of ['records', 'records/post']) {
      const { names, bytes } = await scriptsOf(page, async () => {
        await page.goto(`${service.url}/dash/${path}`);
        await (path === 'records' ? page.getByRole('link', { name: 'Post' }) : rows(page).first()).waitFor();
      });
      console.log(`     ${path}: ${names.length} files, ${Math.round(bytes / 1_024)} KB`);
      assert.ok(names.length > 0 && bytes < MAX_SCRIPT_BYTES, `${path}: ${bytes} bytes`);
      // The code of the definition editor loads only in the data model.
      assert.deepEqual(
        names.filter((name) => /editor/i.test(name)),
        [],
      );
    }
  },
};

const VIEWS = {
  records: async (page, { url }) => {
    await page.goto(`${url}/dash/records`);
    await page.getByRole('link', { name: 'Post' }).waitFor();
  },
  'records-list': async (page, { url }) => {
    await page.goto(`${url}/dash/records/post?sort=-views`);
    await rows(page).first().waitFor();
    await cell(page, 1, 0).check();
  },
  'records-api': async (page, { url }) => {
    await page.goto(`${url}/dash/records/tag`);
    await press(page, 'API');
    await page.getByRole('region', { name: 'List records' }).waitFor();
    await press(page, 'Send request');
    await page.getByRole('region', { name: 'Response' }).waitFor();
  },
  'records-import': async (page, { url }) => {
    await page.goto(`${url}/dash/records/category`);
    await press(page, 'Import…');
    const buffer = Buffer.from('name,slug\nFood,\n,no-name\n');
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'categories.csv', mimeType: 'text/csv', buffer });
    await press(page, 'Check the file');
    await see(page, /errors? in the file/);
  },
  'records-imported': async (page, { url }) => {
    await page.goto(`${url}/dash/records/category`);
    await press(page, 'Import…');
    await press(page, 'Dismiss');
    const buffer = Buffer.from('name,slug\nSeen,seen-once\n');
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'categories.csv', mimeType: 'text/csv', buffer });
    await press(page, 'Check the file');
    await press(page, 'Import 1 record');
    await see(page, 'Done: 1 new, 0 updated records.');
  },
  'records-filter': async (page, { url }) => {
    const filter = '{"status":"published","$or":[{"views":{"$gt":10}},{"tags":{"$some":{"name":"x"}}}]}';
    await page.goto(`${url}/dash/records/post?filter=${encodeURIComponent(filter)}`);
    await press(page, 'Build');
    await see(page, 'unchanged');
  },
  'records-form': async (page, { url }) => {
    await page.goto(`${url}/dash/records/post?sort=slug`);
    await rows(page).first().waitFor();
    await page.getByRole('link', { name: /^Open/ }).first().click();
    await page.getByLabel('Slug', { exact: true }).waitFor();
    await page.getByLabel('Views', { exact: true }).fill('many');
    await see(page, 'This is not a whole number.');
  },
  'records-new': async (page, { url }) => {
    page.once('dialog', (dialog) => void dialog.accept());
    await page.goto(`${url}/dash/records/author/new`);
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('x');
    await press(page, 'Save');
    await page.locator('[aria-invalid=true]').first().waitFor();
  },
};
