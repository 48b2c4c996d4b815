import assert from 'node:assert/strict';
import { join } from 'node:path';
import { emptyService } from './support/empty-service.mjs';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { focused, press, see, seeHeading, signIn } from './support/pages.mjs';

const HEATER = {
  name: 'heater',
  namespace: 'heaters',
  label_field: 'title',
  fields: [{ type: 'string', name: 'title' }],
};

export const modelUndoScenarios = {
  'data model: an undo that would lose data is refused': async (world) => {
    const { service, account } = await emptyService(world);
    const { token } = await service.post('/api/auth/local/login', { login: account.email, password: account.password });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const ask = async (method, path, body) => {
      const answer = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      assert.ok(answer.ok, `${method} ${path} answered ${answer.status}`);
      return (await answer.json()).data;
    };
    await ask('POST', '/api/schema', HEATER);
    const watts = { type: 'int32', name: 'watts', optional: true };
    await ask('POST', '/api/schema', { ...HEATER, fields: [...HEATER.fields, watts] });
    await ask('POST', '/api/content/heaters', { title: 'Desk', watts: 9 });

    const { page } = await world.visitor();
    await signIn(page, service, account);
    await page.goto(`${service.url}/dash/model`);
    await seeHeading(page, 'Data model');
    // By keyboard: the focus follows the buttons.
    await page.getByRole('button', { name: 'Undo…' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Undo version \d+$/ }).waitFor();
    assert.equal(await focused(page), 'Cancel');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo…' }).waitFor();
    assert.equal(await focused(page), 'Undo…');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await see(page, 'The last change cannot be undone: data would be lost or could not be restored.');
    await see(page, /watts.*1 row loses data/);
    assert.equal(await focused(page), 'Undo…');
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'model-undo-refused')), []);
    await page.setViewportSize(SIZES.wide);
    const { items } = await ask('GET', '/api/content/heaters');
    assert.deepEqual([items[0].title, items[0].watts], ['Desk', 9]);

    // Without the data, the undo succeeds.
    await ask('PATCH', `/api/content/heaters/${items[0].id}`, { watts: null });
    await press(page, 'Undo…');
    await page.getByRole('button', { name: /^Undo version \d+$/ }).click();
    await page.getByText('The last change cannot be undone').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.querySelector('ol li button')?.textContent === 'Undo…');
    const { fields } = await ask('GET', '/api/schema/heater');
    assert.deepEqual(
      fields.map(({ name }) => name),
      ['title'],
    );
  },
};
