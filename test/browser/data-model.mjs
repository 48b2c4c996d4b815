import assert from 'node:assert/strict';
import { join } from 'node:path';
import { englishTextsOfDiagram } from './support/diagram-texts.mjs';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { prepare, ROOT } from './support/appearance-fixture.mjs';
import { focused, press, see, seeHeading, signIn } from './support/pages.mjs';
import { renderedFields } from './support/rendered-fields.mjs';
import { FAULTY_SCHEMA, WRONG_WITH_SHELF } from './support/faulty-schema.mjs';
import { addFields, FIELDS, MORE_OF_SCHEMA } from './support/value-settings.mjs';

const editor = (page) => page.locator('.cm-content');
const written = async (page) => JSON.parse((await editor(page).locator('.cm-line').allInnerTexts()).join('\n'));
/** Replaces the definition. Pasted text avoids the completions that the editor adds to typed text. */
async function write(page, definition) {
  await editor(page).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(JSON.stringify(definition, null, 2));
}
async function openNew(page, { url }) {
  await page.goto(`${url}/dash/model`);
  await page.getByRole('link', { name: 'New schema' }).click();
  await seeHeading(page, 'New schema');
  await editor(page).waitFor();
}
async function administrator(main) {
  const { token } = await main.post('/api/auth/local/login', { login: ROOT.email, password: ROOT.password });
  return token;
}

const KETTLE = {
  name: 'kettle',
  namespace: 'kettles',
  label_field: 'title',
  fields: [
    { type: 'string', name: 'title' },
    { type: 'int32', name: 'litres', optional: true },
  ],
};

export const dataModelScenarios = {
  'data model: a schema is written, corrected, planned, applied, renamed and undone': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Data model' }).click();
    await seeHeading(page, 'Data model');
    await openNew(page, main);

    // All faults are shown together, at their lines, with a quick fix.
    await write(page, {
      ...KETTLE,
      label_field: 'titel',
      fields: [{ type: 'strng', name: 'title' }, KETTLE.fields[1]],
    });
    await page.getByRole('tab', { name: '2 errors' }).click();
    assert.equal(await page.locator('.cm-lint-marker-error').count(), 2);
    await press(page, 'Use “string”');
    await press(page, 'Use “title”');
    await page.getByRole('tab', { name: '0 errors' }).waitFor();
    await see(page, 'The definition is valid.');
    assert.deepEqual(await written(page), KETTLE);

    // Unapplied changes survive a reload.
    await page.reload();
    await editor(page).waitFor();
    assert.deepEqual(await written(page), KETTLE);
    await press(page, 'Show the plan');
    await see(page, 'Creates the table "kettles" with 6 columns.');
    await press(page, 'Apply');
    await see(page, 'The change of kettle was applied.');

    const token = await administrator(main);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ title: 'Blue', litres: 2 });
    await fetch(`${main.url}/api/content/kettles`, { method: 'POST', headers, body });

    // A renamed field keeps its data; a removed one shows the affected data.
    await page.goto(`${main.url}/dash/model/kettle`);
    await page.getByRole('group', { name: 'litres' }).getByLabel('Name').fill('volume');
    assert.deepEqual(await addFields(page, world), []);
    await press(page, 'Show the plan');
    await see(page, /Renames .*litres.* to .*volume/);
    // The focus moves to the plan, wherever it is on the page.
    assert.equal(await focused(page), 'Plan');
    assert.equal(await page.getByText('This change loses data.').count(), 0);
    await press(page, 'Apply');
    await see(page, 'The change of kettle was applied.');
    const { data } = await (await fetch(`${main.url}/api/content/kettles`, { headers })).json();
    assert.deepEqual([data.items[0].title, data.items[0].volume], ['Blue', 2]);
    const { data: kettle } = await (await fetch(`${main.url}/api/schema/kettle`, { headers })).json();
    assert.deepEqual([kettle.label_field, ...kettle.fields.slice(-FIELDS.length)], ['maker', ...FIELDS]);
    assert.deepEqual({ audit: kettle.audit, db: kettle.db }, MORE_OF_SCHEMA);

    await page.goto(`${main.url}/dash/model/kettle`);
    await press(page, 'Remove volume');
    await press(page, 'Show the plan');
    await see(page, 'This change loses data.');
    await see(page, '1 row loses data');
    assert.equal(await page.getByRole('button', { name: 'Apply' }).isDisabled(), true);
    await page.getByLabel('I accept the data loss').check();
    await press(page, 'Apply');
    await see(page, 'The change of kettle was applied.');
    await press(page, 'Undo…');
    await page.getByRole('button', { name: /^Undo version \d+$/ }).click();
    await page.getByRole('button', { name: /^Undo version \d+$/ }).waitFor({ state: 'detached' });
    const again = await (await fetch(`${main.url}/api/content/kettles`, { headers })).json();
    assert.equal(again.data.items[0].volume, 2);
  },

  'data model: thirteen errors are shown at their lines and in the form, each with a fix': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor();
    await page.setViewportSize({ width: 1280, height: 3_000 });
    await signIn(page, main, ROOT);
    const sent = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(new URL(request.url()).pathname);
    });
    await openNew(page, main);
    await write(page, FAULTY_SCHEMA);
    const count = WRONG_WITH_SHELF.length;
    await page.getByRole('tab', { name: `${count} errors` }).waitFor();

    // In the form: at the field or above all fields.
    const form = page.getByRole('tabpanel', { name: 'Fields' });
    for (const [, message] of WRONG_WITH_SHELF) await form.getByText(message).waitFor();
    await form.getByRole('group', { name: 'places' }).getByText(WRONG_WITH_SHELF[5][1]).waitFor();

    // In the editor: at the line.
    const lines = (await editor(page).locator('.cm-line').allInnerTexts()).map((line) => line.trim());
    const marked = await page.locator('.cm-lint-marker-error').evaluateAll((markers) => {
      const places = [...markers[0].getRootNode().querySelectorAll('.cm-line')].map((line) =>
        line.getBoundingClientRect(),
      );
      return markers.map((marker) => {
        const { top, height } = marker.getBoundingClientRect();
        return places.findIndex((place) => place.top <= top + height / 2 && top + height / 2 < place.bottom);
      });
    });
    assert.equal(marked.length, count);
    await page.getByRole('tab', { name: `${count} errors` }).click();
    const faultItems = page.getByRole('tabpanel', { name: `${count} errors` }).getByRole('listitem');
    const found = await faultItems.evaluateAll((items) => items.map((item) => item.innerText));
    assert.deepEqual(
      found.map((text) => Number(/Go to line (\d+)/.exec(text)[1]) - 1),
      marked,
    );
    for (const [at, text] of found.entries()) {
      const [beginning] = WRONG_WITH_SHELF.find(([, message]) => message.test(text)) ?? [text];
      assert.ok(lines[marked[at]].startsWith(beginning), `${lines[marked[at]]}: ${text}`);
    }

    // A key press in one field renders only that field, even if faults on its lines move.
    await page.getByRole('tab', { name: 'Fields' }).click();
    const places = form.getByRole('group', { name: 'places', exact: true });
    assert.deepEqual(await renderedFields(places.getByLabel('Default', { exact: true }), ' or more'), ['places']);

    // Quick fixes for likely typos.
    await form.getByRole('group', { name: 'code' }).getByRole('button', { name: 'Use “string”' }).click();
    await page.getByRole('tab', { name: `${count - 1} errors` }).waitFor();
    assert.equal((await written(page)).fields[0].type, 'string');
    await form.getByRole('button', { name: 'Use “size”' }).click();
    await page.getByRole('tab', { name: `${count - 2} errors` }).waitFor();
    assert.equal((await written(page)).fields[1].size, 20);
    assert.equal(await page.getByRole('button', { name: 'Show the plan' }).isDisabled(), true);
    assert.deepEqual([...new Set(sent.filter((path) => path.startsWith('/api/schema')))], ['/api/schema/validate']);
    await page.setViewportSize(SIZES.wide);
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'model-form-faults')), []);
  },

  'data model: errors are in German for German users': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor({ locale: 'de-AT' });
    await page.goto(`${main.url}/dash/login`);
    await page.getByLabel('Benutzername oder E-Mail').fill(ROOT.email);
    await page.getByLabel('Passwort', { exact: true }).fill(ROOT.password);
    await press(page, 'Anmelden');
    await seeHeading(page, 'Datensätze');
    await page.goto(`${main.url}/dash/model`);
    await page.getByRole('link', { name: 'Neues Schema' }).click();
    await editor(page).waitFor();
    await write(page, FAULTY_SCHEMA);
    await page.getByRole('tab', { name: `${WRONG_WITH_SHELF.length} Fehler` }).click();
    const faultItems = page.getByRole('tabpanel', { name: `${WRONG_WITH_SHELF.length} Fehler` }).getByRole('listitem');
    const found = await faultItems.evaluateAll((items) => items.map((item) => item.innerText.split('\n')[0]));
    for (const [, message] of WRONG_WITH_SHELF)
      assert.deepEqual(
        found.filter((text) => message.test(text)),
        [],
      );
    for (const sentence of [
      'Den Typ „strng“ gibt es nicht. Es gibt: ',
      'Das `default` passt nicht zum Feld: Es muss eine ganze Zahl sein.',
      '`optional` muss true oder false sein, nicht ein Text.',
    ])
      assert.ok(
        found.some((text) => text.startsWith(sentence)),
        `${sentence} is not among ${found.join('\n')}`,
      );
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'model-faults-german')), []);
    await page.setViewportSize(SIZES.wide);
    await page.getByRole('tab', { name: 'Felder' }).click();
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'model-form-german')), []);
    await page.setViewportSize(SIZES.wide);
    await write(page, {
      name: 'regal',
      namespace: 'regale',
      label_field: 'titel',
      fields: [{ name: 'titel', type: 'string', label: 'Titel', unique: true }],
    });
    await press(page, 'Plan zeigen');
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByText(/^Legt die Tabelle „regale“ mit \d Spalten an\.$/).waitFor();
    await plan.getByText('Legt einen eindeutigen Index auf "titel" von „regale“ an.').waitFor();

    // Texts of third-party components and of the service are also German.
    await page.goto(`${main.url}/dash/model?view=diagram`);
    await page.getByRole('link', { name: 'Gezeichnet mit React Flow' }).waitFor();
    assert.deepEqual(await englishTextsOfDiagram(page), []);
    await page.goto(`${main.url}/dash/service?part=settings`);
    await page.getByText('Dateien werden nicht geprüft', { exact: true }).waitFor();
  },

  'data model: an outdated plan is refreshed instead of applied': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await openNew(page, main);
    await write(page, { ...KETTLE, name: 'pan', namespace: 'pans' });
    await press(page, 'Show the plan');
    await see(page, 'Creates the table "pans"');
    const headers = { authorization: `Bearer ${await administrator(main)}`, 'content-type': 'application/json' };
    const theirs = { ...KETTLE, name: 'pan', namespace: 'pans', fields: [{ type: 'string', name: 'title' }] };
    const made = await fetch(`${main.url}/api/schema`, { method: 'POST', headers, body: JSON.stringify(theirs) });
    assert.equal(made.status, 201);
    await press(page, 'Apply');
    await see(page, 'Another user has changed the schemas.');
    await see(page, /Adds .*litres/);
    const { data } = await (await fetch(`${main.url}/api/schema/pan`, { headers })).json();
    assert.deepEqual(
      data.fields.map(({ name }) => name),
      ['title'],
    );

    await page.goto(`${main.url}/dash/model/pan`);
    await press(page, 'Remove pan…');
    await see(page, 'Plan');
    await page.getByLabel('I accept the data loss').check();
    await press(page, 'Apply');
    await see(page, 'The change of pan was applied.');
    assert.equal((await fetch(`${main.url}/api/schema/pan`, { headers })).status, 404);
  },

  'data model: a rejected plan is reported beside its button': async (world) => {
    const { main } = world;
    await prepare(world);
    const { page } = await world.visitor();
    await signIn(page, main, ROOT);
    await openNew(page, main);
    const fields = Array.from({ length: 12 }, (_, at) => ({ type: 'string', name: `part_${at}` }));
    await write(page, { name: 'lid', namespace: 'lids', label_field: 'part_0', fields });
    await page.getByRole('status').getByText('The definition is valid.').waitFor();
    // Another user takes the table name after the check succeeded.
    const headers = { authorization: `Bearer ${await administrator(main)}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ ...KETTLE, name: 'cover', namespace: 'lids' });
    const made = await fetch(`${main.url}/api/schema`, { method: 'POST', headers, body });
    assert.equal(made.status, 201);
    await press(page, 'Show the plan');
    const alertBox = await page.getByRole('main').getByRole('alert').boundingBox();
    const button = await page.getByRole('button', { name: 'Show the plan' }).boundingBox();
    const { height } = page.viewportSize();
    for (const { y, height: own } of [alertBox, button])
      assert.ok(y >= 0 && y + own <= height, `${y} to ${y + own} of ${height}`);
    const { authorization } = headers;
    const removed = await fetch(`${main.url}/api/schema/cover?allow_data_loss=true`, {
      method: 'DELETE',
      headers: { authorization },
    });
    assert.equal(removed.status, 200);
  },

  'data model: users without the permission get no link to it': async (world) => {
    const { main } = world;
    const person = await world.person(main);
    const { page } = await world.visitor();
    await signIn(page, main, person);
    await see(page, 'This session');
    assert.equal(await page.getByRole('link', { name: 'Data model' }).count(), 0);
    await page.goto(`${main.url}/dash/model`);
    await see(page, 'You do not have permission to do this.');
  },
};
