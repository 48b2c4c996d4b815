import assert from 'node:assert/strict';
import { alerts, onlyAlert, status } from './support/outcomes.mjs';
import { press, see, seeHeading } from './support/pages.mjs';
import { asking, editor, rows } from './support/records-fixture.mjs';

/** Error statuses that a form can get; null is a failed connection. */
const REFUSALS = [409, 412, 423, 429, 503, null];
const messageOf = (code) => (code === null ? 'The service cannot be reached.' : `Refused with ${code}.`);

/** Responds to writes at a URL with an error while the work runs. */
async function refusing(page, address, code, work) {
  const answer = (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    if (code === null) return route.abort('connectionrefused');
    const json = { code: String(code), message: messageOf(code), data: { error: `refused_with_${code}` } };
    return route.fulfill({ status: code, headers: { 'retry-after': '7' }, json });
  };
  await page.route(address, answer);
  await work();
  await page.unroute(address, answer);
}

/** Submits a form with each error: an alert shows it, and the input is kept. */
async function meetsRefusals(page, { address, submit, kept }) {
  const before = await kept();
  for (const code of REFUSALS) {
    await refusing(page, address, code, async () => {
      await submit();
      await onlyAlert(page, messageOf(code));
      assert.deepEqual(await kept(), before, `after ${code}`);
    });
  }
}

const definition = async (page) => (await page.locator('.cm-content .cm-line').allInnerTexts()).join('\n');

export const consoleFormScenarios = {
  'forms: an error is shown until its cause changes; a save is confirmed': async (world) => {
    const { page, service } = await editor(world);
    await page.goto(`${service.url}/dash/records/category/new`);
    const name = page.getByLabel('Name', { exact: true });
    const slug = page.getByLabel('Slug', { exact: true });
    await slug.fill('kept-until-corrected');
    await press(page, 'Save');
    await page.locator('input[name=name][aria-invalid=true]').waitFor();
    await name.fill('Kept until corrected');
    assert.equal(await page.locator('[aria-invalid=true]').count(), 0);
    await press(page, 'Save');
    await seeHeading(page, 'Kept until corrected');
    await status(page, 'Saved.').waitFor();
    await slug.fill('another-one');
    await status(page, 'Saved.').waitFor({ state: 'detached' });
    await press(page, 'Save');
    await status(page, 'Saved.').waitFor();
    await page.reload();
    await seeHeading(page, 'Kept until corrected');
    assert.equal(await page.getByText('Saved.', { exact: true }).count(), 0);
    const taken = page.getByText('is in use already', { exact: false });
    await page.goto(`${service.url}/dash/records/category/new`);
    await name.fill('Kept until corrected');
    await slug.fill('third-one');
    await press(page, 'Save');
    await page
      .getByText(/in use already/i)
      .first()
      .waitFor();
    await slug.fill('fourth-one');
    await page
      .getByText(/in use already/i)
      .first()
      .waitFor();
    await name.fill('Another name');
    await taken.first().waitFor({ state: 'detached' });
    await press(page, 'Cancel');

    // The filter shows one message at a time, which names the field.
    await page.goto(`${service.url}/dash/records/category?sort=name`);
    await rows(page).first().waitFor();
    const filter = page.getByRole('textbox', { name: 'Filter as text' });
    const apply = async (text) => {
      await filter.fill(text);
      await page.keyboard.press('Enter');
    };
    await apply('nme contains "x"');
    await onlyAlert(page, 'nme: is not a field that you can use here.');
    await filter.fill('name contains');
    assert.equal(await alerts(page).count(), 0);
    await page.keyboard.press('Enter');
    await see(page, /A value is expected at character/);
    assert.equal(await alerts(page).count(), 0);
    await apply('name contains "corrected"');
    await page.getByRole('gridcell', { name: 'Kept until corrected', exact: true }).waitFor();
    assert.equal(await page.getByText(/is expected at character/).count(), 0);

    // Cell changes are also confirmed.
    const row = page.getByRole('gridcell', { name: 'Kept until corrected', exact: true });
    await row.dblclick();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Now corrected');
    await page.keyboard.press('Enter');
    await press(page, 'Save');
    await status(page, 'Saved.').waitFor();

    await page.getByRole('button', { name: 'Views', exact: true, expanded: false }).click();
    await press(page, 'Save this view');
    await see(page, 'Fill in this field.');
    await page.getByLabel('Name of the view').fill('Corrected ones');
    assert.equal(await page.getByText('Fill in this field.').count(), 0);
    await press(page, 'Save this view');
    await status(page, 'The view Corrected ones was saved.').waitFor();
    await press(page, 'Delete the view Corrected ones');
    await status(page, 'The view Corrected ones was deleted.').waitFor();
    assert.equal(await page.getByText('The view Corrected ones was saved.').count(), 0);

    // Forms with simple inputs: the account, and a service account.
    await page.goto(`${service.url}/dash/account`);
    await press(page, 'Change name, user name or language');
    const username = page.getByLabel('User name (optional)');
    await page.getByLabel('First name').fill('Edith');
    await username.fill('no user name!');
    await press(page, 'Save');
    await see(page, /^Use only letters, digits/);
    await username.fill('');
    assert.equal(await page.locator('[aria-invalid=true]').count(), 0);
    await press(page, 'Save');
    await status(page, 'Your profile was saved.').waitFor();
    await page.goto(`${service.url}/dash/service-accounts`);
    await press(page, 'Create a service account');
    const form = page.getByRole('form', { name: 'Create a service account' });
    await form.getByRole('button', { name: 'Create a service account' }).click();
    await see(page, 'Fill in this field.');
    await form.getByLabel('Name', { exact: true }).fill('x');
    assert.equal(await page.getByText('Fill in this field.').count(), 0);
    const ask = await asking(service);
    const found = encodeURIComponent(JSON.stringify({ name: 'Now corrected' }));
    await ask('DELETE', `/api/content/category?filter=${found}`);
  },

  'forms: each rejected save shows an alert and keeps the input': async (world) => {
    const { page, service } = await editor(world);
    const ask = await asking(service);
    const { id } = await ask('POST', '/api/content/category', { name: 'Refused', slug: 'refused' });

    await page.goto(`${service.url}/dash/records/category/${id}`);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Typed and kept');
    const save = () => press(page, 'Save');
    await meetsRefusals(page, { address: '**/api/content/category/**', submit: save, kept: () => name.inputValue() });

    await page.goto(
      `${service.url}/dash/records/category?sort=name&filter=${encodeURIComponent('{"slug":"refused"}')}`,
    );
    await page.getByRole('gridcell', { name: 'Refused', exact: true }).dblclick();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Typed in a cell');
    await page.keyboard.press('Enter');
    const edited = page.getByRole('gridcell', { name: 'Typed in a cell', exact: true });
    await edited.waitFor();
    const typed = () => edited.count();
    await meetsRefusals(page, { address: '**/api/batch', submit: save, kept: typed });
    await press(page, 'Discard');
    await press(page, 'Yes, continue');

    await page.getByRole('button', { name: 'Views', exact: true, expanded: false }).click();
    const view = page.getByLabel('Name of the view');
    await view.fill('A view that is refused');
    await meetsRefusals(page, {
      address: '**/api/content/view',
      submit: () => press(page, 'Save this view'),
      kept: () => view.inputValue(),
    });

    await page.goto(`${service.url}/dash/model/category`);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+A');
    const written = (await ask('GET', '/api/schema')).find((one) => one.name === 'category');
    const fields = [...written.fields, { type: 'string', name: 'note', optional: true }];
    await page.keyboard.insertText(JSON.stringify({ ...written, fields }, null, 2));
    await status(page, 'The definition is valid.').waitFor();
    const text = () => definition(page);
    await meetsRefusals(page, {
      address: '**/api/schema/plan**',
      submit: () => press(page, 'Show the plan'),
      kept: text,
    });
    await press(page, 'Show the plan');
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor();
    await meetsRefusals(page, {
      address: (url) => url.pathname === '/api/schema',
      submit: () => press(page, 'Apply'),
      kept: text,
    });
    await press(page, 'Discard changes');

    await page.goto(`${service.url}/dash/access`);
    await page.getByRole('link', { name: /^tagger, tag: / }).click();
    const choice = page.getByLabel('Delete', { exact: true });
    await choice.selectOption('allow');
    await page.getByRole('button', { name: 'Save', exact: true, disabled: false }).waitFor();
    await meetsRefusals(page, { address: '**/api/batch', submit: save, kept: () => choice.inputValue() });
    await press(page, 'Discard');
    await press(page, 'New role');
    const role = page.getByRole('form', { name: 'New role' });
    await role.getByLabel('Name', { exact: true }).fill('refused');
    await meetsRefusals(page, {
      address: '**/api/content/role',
      submit: () => role.getByRole('button', { name: 'Save' }).click(),
      kept: () => role.getByLabel('Name', { exact: true }).inputValue(),
    });

    await page.goto(`${service.url}/dash/account`);
    await press(page, 'Change name, user name or language');
    const first = page.getByLabel('First name');
    await first.fill('Kept');
    await meetsRefusals(page, { address: '**/api/auth/me', submit: save, kept: () => first.inputValue() });
    await page.goto(`${service.url}/dash/service?part=mails`);
    const address = page.getByLabel('Send a test e-mail to');
    await address.fill('kept@example.com');
    await meetsRefusals(page, {
      address: '**/api/mails/**',
      submit: () => press(page, 'Send'),
      kept: () => address.inputValue(),
    });
    await ask('DELETE', `/api/content/category/${id}`);
  },

  'forms: a cell edit is kept while its record cannot be read, and saved later': async (world) => {
    const { page, service } = await editor(world);
    const ask = await asking(service);
    const { id } = await ask('POST', '/api/content/category', { name: 'Unread', slug: 'unread' });
    await page.goto(`${service.url}/dash/records/category?filter=${encodeURIComponent('{"slug":"unread"}')}`);
    const own = `**/api/content/category/${id}**`;
    await page.route(own, (route) => route.abort('connectionrefused'));
    await page.getByRole('gridcell', { name: 'Unread', exact: true }).dblclick();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Read later');
    await page.keyboard.press('Enter');
    await onlyAlert(page, messageOf(null));
    await page.getByRole('gridcell', { name: 'Read later', exact: true }).waitFor();
    await page.unroute(own);
    await press(page, 'Save');
    await status(page, 'Saved.').waitFor();
    assert.equal((await ask('GET', `/api/content/category/${id}`)).name, 'Read later');
    await ask('DELETE', `/api/content/category/${id}`);
  },
};
