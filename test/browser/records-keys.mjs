import assert from 'node:assert/strict';
import { press, see, seeHeading } from './support/pages.mjs';
import { asking, cell, editor, rows } from './support/records-fixture.mjs';

const firstPosts = async (ask) =>
  (await ask('GET', '/api/content/post?sort=slug&limit=10&select=id,title,views')).items;

export const recordKeyScenarios = {
  'records: Ctrl+S saves a cell or a form once': async (world) => {
    const { page, service } = await editor(world);
    const ask = await asking(service);
    const sent = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    await page.goto(`${service.url}/dash/records/post?columns=title,views&sort=slug`);
    await rows(page).first().waitFor();
    const type = async (row, text) => {
      await cell(page, row, 3).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    };
    // The only changed cell is still open.
    await type(5, '8005');
    await page.keyboard.press('Control+s');
    await page.getByText('8,005').waitFor();
    await page.getByText('unsaved change').waitFor({ state: 'detached' });
    await page.locator('[data-changed]').waitFor({ state: 'detached' });
    assert.equal((await firstPosts(ask))[5].views, 8_005);
    // The Mac shortcut. An invalid value stays open, and nothing is sent.
    await type(6, '8006');
    await page.keyboard.press('Enter');
    await see(page, '1 unsaved change');
    await type(7, 'many');
    await page.keyboard.press('Meta+s');
    await page.locator('[role=gridcell][data-open] :focus').waitFor();
    assert.deepEqual(
      sent.filter((one) => one.endsWith('/api/batch')),
      ['POST /api/batch'],
    );
    await page.keyboard.press('Escape');
    await page.keyboard.press('Meta+s');
    await page.keyboard.press('Meta+s');
    await page.getByText('unsaved change').waitFor({ state: 'detached' });
    assert.equal((await firstPosts(ask))[6].views, 8_006);
    assert.equal(sent.filter((one) => one.endsWith('/api/batch')).length, 2);

    const [{ id, title }] = await firstPosts(ask);
    await page.goto(`${service.url}/dash/records/post/${id}`);
    await seeHeading(page, title);
    await page.keyboard.press('Control+s');
    await page.getByLabel('Title', { exact: true }).fill('Saved by a key');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved.', { exact: true }).waitFor();
    assert.equal((await ask('GET', `/api/content/post/${id}?select=title`)).title, 'Saved by a key');
    assert.deepEqual(
      sent.filter((one) => one.startsWith('PATCH')),
      [`PATCH /api/content/post/${id}`],
    );

    // Schemas are only saved with a plan, so the shortcut shows it.
    await page.goto(`${service.url}/dash/model/tag`);
    await press(page, 'Add a field');
    await page.getByRole('group', { name: 'field', exact: true }).getByLabel('Name').fill('hue');
    await page.getByRole('status').getByText('The definition is valid.').waitFor();
    await page.keyboard.press('Control+s');
    await see(page, /Adds .*hue/);
    await press(page, 'Cancel');
    await press(page, 'Discard changes');
  },
};
