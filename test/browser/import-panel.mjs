import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, see } from './support/pages.mjs';
import { editor, rows } from './support/records-fixture.mjs';

const panel = (page) => page.getByRole('region', { name: 'Import records' });

async function check(page, text) {
  const buffer = Buffer.from(text);
  await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'tags.csv', mimeType: 'text/csv', buffer });
  await press(page, 'Check the file');
}

export const importPanelScenarios = {
  'imports: the panel is closed by default, starts a new import beside an earlier one, and offers only possible actions':
    async (world) => {
      const { page, service } = await editor(world);
      const list = `${service.url}/dash/records/category?sort=name`;
      await page.goto(list);
      await rows(page).first().waitFor();
      assert.equal(await panel(page).count(), 0);
      await press(page, 'Import…');

      // A row with too many cells is a fault of the row, and no row is valid.
      await check(page, 'name,slug\none,two,three\n');
      const faults = page.getByRole('region', { name: '1 error in the file' });
      await faults.getByRole('row', { name: '2 Whole row has 3 cells where the header has 2' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Import the valid records' }).count(), 0);

      await check(page, 'name,slug\n,no-name\n');
      await page
        .getByRole('region', { name: '1 error in the file' })
        .getByRole('row', { name: /^2 name / })
        .waitFor();
      assert.equal(await page.getByRole('button', { name: 'Import the valid records' }).count(), 0);

      // The panel is closed on the next visit, and a new import can start besides the earlier one.
      await page.reload();
      await rows(page).first().waitFor();
      assert.equal(await panel(page).count(), 0);
      await press(page, 'Import…');
      await page.getByRole('group', { name: 'File with 1 record' }).first().waitFor();
      await check(page, 'name,slug\nPanel one,panel-one\n,panel-two\n');
      const both = page.getByRole('group', { name: 'File with 2 records' });
      await both.getByRole('row', { name: /^3 name / }).waitFor();
      assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'import-panel')), []);
      await page.setViewportSize(SIZES.wide);
      await both.getByRole('button', { name: 'Import the valid records' }).click();
      await see(page, 'Done: 1 new, 0 updated records.');
      await both.getByRole('button', { name: 'Undo' }).click();
      await see(page, /^Undone: 1 record/);
      for (let left = await page.getByRole('button', { name: 'Dismiss' }).count(); left > 0; left -= 1) {
        await page.getByRole('button', { name: 'Dismiss' }).first().click();
        await page
          .getByRole('button', { name: 'Dismiss' })
          .nth(left - 1)
          .waitFor({ state: 'detached' });
      }
      await press(page, 'Import…');
      await panel(page).waitFor({ state: 'detached' });
    },
};
