import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, see, signIn } from './support/pages.mjs';
import { PASSWORD } from './support/world.mjs';

const SHEETS = Array.from({ length: 100 }, (_, at) => `sheet${String(at).padStart(2, '0')}`);
const ACTIONS = ['list', 'get', 'create', 'update', 'delete', 'restore', 'aggregate'];
const MOST = 50;

const cellOf = (page, role, schema) => page.getByRole('link', { name: new RegExp(`^${role}, ${schema}: `) });
const changes = (page) => page.getByRole('region', { name: /^Unsaved changes/ });

/** Starts a service with a hundred schemas, and roles that may read all of them, do everything with one, or nothing. */
async function manySheets(world) {
  const service = await world.start({});
  const account = { email: 'root@example.com', username: 'root', password: PASSWORD };
  const setupToken = new URL(service.setupAddress).hash.replace('#token=', '');
  await service.post('/api/setup', { ...account, password_confirmation: PASSWORD, token: setupToken });
  const { token } = await service.post('/api/auth/local/login', { login: account.email, password: PASSWORD });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const ask = async (method, path, body) => {
    const answer = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    assert.ok(answer.ok, `${method} ${path} answered ${answer.status}`);
    return (await answer.json()).data;
  };
  const fields = [{ type: 'string', name: 'title' }];
  const schemas = SHEETS.map((name) => ({ name, namespace: `${name}s`, label_field: 'title', fields }));
  await ask('POST', '/api/schema', { schemas });
  const granted = {
    reader: SHEETS.flatMap((name) => [`content.${name}.list`, `content.${name}.get`]),
    keeper: ACTIONS.map((action) => `content.sheet00.${action}`),
    novice: [],
  };
  const ids = {};
  for (const [name, resources] of Object.entries(granted)) {
    const { id } = await ask('POST', '/api/content/role', { name });
    ids[name] = id;
    const permissions = resources.map((resource) => ({ role: { id }, resource, value: 'allow' }));
    if (permissions.length > 0) await ask('POST', '/api/content/permission', permissions);
  }
  const permissionsOf = async (name) => {
    const filter = encodeURIComponent(JSON.stringify({ 'role.id': ids[name] }));
    const { items } = await ask('GET', `/api/content/permission?filter=${filter}&select=resource&limit=100&cursor=`);
    return items.map(({ resource }) => resource).sort();
  };
  const { page } = await world.visitor();
  await signIn(page, service, account);
  return { page, service, permissionsOf };
}

async function copy(page, from, to) {
  await cellOf(page, to.role, to.schema).click();
  await page.getByRole('heading', { name: `Permissions of ${to.role} for ${to.schema}` }).waitFor();
  await page.getByText('Copy permissions').click();
  const form = page.getByRole('group').filter({ hasText: 'Copy permissions' });
  await form.getByLabel('Role').selectOption(from.role);
  await form.getByLabel('Schema').selectOption(from.schema);
  await press(page, 'Copy to draft');
}

export const accessManyScenarios = {
  'access: changes and copies permissions of a hundred schemas; unsaved changes survive a rejected save': async (
    world,
  ) => {
    const { page, service, permissionsOf } = await manySheets(world);
    await page.goto(`${service.url}/dash/access`);
    await cellOf(page, 'reader', 'sheet99').waitFor();
    for (const role of ['reader', 'keeper', 'novice'])
      assert.equal(await page.getByRole('link', { name: new RegExp(`^${role}, sheet\\d\\d: `) }).count(), 100);
    await page.getByRole('link', { name: 'reader, sheet42: List yes, Read yes' }).waitFor();

    // Copies from role to role and from schema to schema, and one manual change: nothing is saved before it is reviewed.
    await copy(page, { role: 'reader', schema: 'sheet42' }, { role: 'novice', schema: 'sheet42' });
    await page.getByRole('link', { name: 'novice, sheet42: List yes, Read yes' }).waitFor();
    await copy(page, { role: 'keeper', schema: 'sheet00' }, { role: 'keeper', schema: 'sheet01' });
    await page.getByLabel('Delete', { exact: true }).selectOption('none');
    // The panel stays in view together with its cell: the matrix scrolls separately.
    const tall = await page
      .getByRole('region', { name: 'Roles and schemas' })
      .evaluate(({ clientHeight }) => clientHeight);
    assert.ok(tall <= 0.65 * SIZES.wide.height, `the matrix is ${tall} px tall`);
    await see(page, /^Unsaved changes/);
    assert.match(await changes(page).innerText(), /8 changes/);
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'access-many')), []);
    await page.setViewportSize(SIZES.wide);
    await press(page, 'Save');
    await see(page, 'Saved.');
    assert.deepEqual(await permissionsOf('novice'), ['content.sheet42.get', 'content.sheet42.list']);
    assert.equal((await permissionsOf('keeper')).filter((resource) => resource.includes('.sheet01.')).length, 6);

    // More changes than one request accepts; the second request fails.
    for (const schema of SHEETS.slice(50, 58))
      await copy(page, { role: 'keeper', schema: 'sheet00' }, { role: 'novice', schema });
    const all = 8 * ACTIONS.length;
    await changes(page).getByText(`${all} changes`).waitFor();
    let batches = 0;
    await page.route('**/api/batch', (route) =>
      (batches += 1) === 2 ? route.abort('connectionrefused') : route.continue(),
    );
    await press(page, 'Save');
    await changes(page)
      .getByText(new RegExp(`\\b${all - MOST} changes`))
      .waitFor();
    assert.equal(await page.getByText('Saved.', { exact: true }).count(), 0);
    assert.equal((await permissionsOf('novice')).length, MOST + 2);
    await press(page, 'Save');
    await see(page, 'Saved.');
    assert.equal((await permissionsOf('novice')).length, all + 2);
    assert.equal(batches, 3);
  },
};
