import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zipSync } from 'fflate';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, see, signIn } from './support/pages.mjs';
import { emptyService } from './support/empty-service.mjs';

const PROJECTS = fileURLToPath(new URL('../e2e/convert/projects/', import.meta.url));
const asFile = (value) => ({
  name: 'x.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(value)),
});
const field = { type: 'string', name: 'title' };
const schema = (name) => ({ name, namespace: `${name}_rows`, label_field: 'title', fields: [field] });

async function begin(world) {
  const { service, account } = await emptyService(world);
  const { page } = await world.visitor();
  await signIn(page, service, account);
  await page.goto(`${service.url}/dash/model`);
  await press(page, 'Import schemas…');
  await page.getByRole('region', { name: 'Import schemas' }).waitFor();
  return page;
}

async function changedByOthers(world) {
  const { service, account } = await emptyService(world);
  const { token } = await service.post('/api/auth/local/login', { login: account.email, password: account.password });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const made = await fetch(`${service.url}/api/schema`, {
    method: 'POST',
    headers,
    body: JSON.stringify(schema('vase')),
  });
  assert.equal(made.status, 201);
}

export const schemaImportScenarios = {
  'schema import: converts a project of another product, shows its notes and applies its plan': async (world) => {
    const page = await begin(world);
    await page.getByLabel('Source').selectOption('strapi');
    await page.getByLabel('Folder', { exact: true }).setInputFiles(join(PROJECTS, 'strapi'));
    await see(page, /^\d+ schemas, \d+ notes$/);
    await see(page, /^Creates the table/);
    await page.getByText(/items cannot be converted exactly$/).click();
    await see(page, /schema\.json\/attributes\//);
    await page.setViewportSize(SIZES.wide);
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'bring-in')), []);
    await page.setViewportSize(SIZES.wide);
    await press(page, 'Apply');
    await see(page, /^The change of \d+ schemas was applied\.$/);
    await page.getByRole('list', { name: 'Data model' }).getByRole('link', { name: 'article', exact: true }).waitFor();
    // Importing the saved file changes nothing.
    const download = page.waitForEvent('download');
    await press(page, 'Export as file');
    const saved = await (await download).path();
    await page.reload();
    await press(page, 'Import schemas…');
    await page.getByLabel('Files', { exact: true }).setInputFiles(saved);
    await see(page, 'No changes.');
  },

  'schema import: reads a zip archive like a folder; names it if it is invalid': async (world) => {
    const page = await begin(world);
    await page.getByLabel('Source').selectOption('fastschema');
    const archive = page.getByLabel('Or a zip archive of the folder', { exact: true });
    const zip = (buffer) => ({ name: 'export.zip', mimeType: 'application/zip', buffer: Buffer.from(buffer) });
    await archive.setInputFiles(zip('PK, and no more'));
    await see(page, 'export.zip: The file is not a readable zip archive.');
    const folder = join(PROJECTS, 'fastschema/data/schemas');
    const names = readdirSync(folder);
    const files = names.map((name) => [`schemas/${name}`, new Uint8Array(readFileSync(join(folder, name)))]);
    await archive.setInputFiles(zip(zipSync(Object.fromEntries(files))));
    await see(page, /^\d+ schemas, \d+ notes$/);
    await see(page, /^Creates the table/);
  },

  'schema import: imports definitions all or none, and lists all errors': async (world) => {
    const page = await begin(world);
    const files = page.getByLabel('Files', { exact: true });
    await files.setInputFiles({ ...asFile(null), buffer: Buffer.from('{ "name": ') });
    await see(page, 'The text is not valid JSON.');
    await files.setInputFiles(asFile([schema('lamp'), { ...schema('shade'), label_field: 'titel' }]));
    await page
      .getByRole('list', { name: '1 error' })
      .getByText(/^shade: .*"titel"/)
      .waitFor();
    assert.equal(await page.getByRole('button', { name: 'Apply' }).count(), 0);
    await files.setInputFiles(asFile({ schemas: [schema('lamp'), schema('shade')] }));
    await see(page, 'Creates the table "lamp_rows"');
    await see(page, 'Creates the table "shade_rows"');
    await changedByOthers(world);
    await press(page, 'Apply');
    await see(page, 'Another user has changed the schemas.');
    await see(page, 'Creates the table "shade_rows"');
    await press(page, 'Apply');
    await see(page, 'The change of 2 schemas was applied.');
  },

  'schema import: counts conflicting rows, shows five of them and blocks applying': async (world) => {
    const page = await begin(world);
    const { service, account } = await emptyService(world);
    const { token } = await service.post('/api/auth/local/login', { login: account.email, password: account.password });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const send = async (path, body) => {
      const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.equal(answer.status, 201, await answer.text());
    };
    await send('/api/schema', schema('kettle'));
    const titles = Array.from({ length: 14 }, (_, at) => ({ title: `Kettle ${at % 7}` }));
    await send('/api/content/kettle', titles);
    const strict = { ...schema('kettle'), fields: [{ ...field, unique: true }] };
    await page.getByLabel('Files', { exact: true }).setInputFiles(asFile(strict));
    await see(page, 'Existing data prevents this change.');
    const duplicates = await page.locator('li code').first().innerText();
    assert.equal(new Set(duplicates.match(/Kettle [0-6]/g)).size, 5, duplicates);
    assert.equal(await page.getByRole('button', { name: 'Apply' }).isDisabled(), true);
    await page.setViewportSize(SIZES.wide);
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'bring-in-blocked')), []);
  },
};
