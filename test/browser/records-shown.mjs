import assert from 'node:assert/strict';
import { join } from 'node:path';
import { emptyService } from './support/empty-service.mjs';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, see, signIn } from './support/pages.mjs';
import { rows } from './support/records-fixture.mjs';

const RELATIONS = 30;
const HTML = '<img src="x" onerror="document.title = 1"><b>bold</b>';
const SPOKE = { name: 'spoke', namespace: 'spokes', label_field: 'title', fields: [{ type: 'string', name: 'title' }] };
const HUB = {
  name: 'hub',
  namespace: 'hubs',
  label_field: 'title',
  fields: [
    { type: 'string', name: 'title' },
    { type: 'text', name: 'body' },
    ...Array.from({ length: RELATIONS }, (_, at) => ({
      type: 'relation',
      name: `spoke${at}`,
      optional: true,
      relation: { schema: 'spoke', field: `hubs${at}`, type: 'o2m' },
    })),
  ],
};

const LEAVES = 230;
const TREE = { name: 'tree', namespace: 'trees', label_field: 'title', fields: [{ type: 'string', name: 'title' }] };
const LEAF = {
  name: 'leaf',
  namespace: 'leaves',
  label_field: 'title',
  fields: [
    { type: 'string', name: 'title' },
    { type: 'relation', name: 'tree', optional: true, relation: { schema: 'tree', field: 'leaves', type: 'o2m' } },
  ],
};

async function makeHub({ service, account }) {
  const ask = await sending(service, account);
  const send = (path, body) => ask('POST', path, body);
  await send('/api/schema?back_refs=create', { schemas: [SPOKE, HUB] });
  const links = {};
  for (let at = 0; at < RELATIONS; at += 1)
    links[`spoke${at}`] = (await send('/api/content/spokes', { title: `${at} ${HTML}` })).id;
  return send('/api/content/hubs', { title: HTML, body: HTML, ...links });
}

export const recordShownScenarios = {
  'records shown: a record with thirty relations is shown; its texts are not parsed as HTML': async (world) => {
    const empty = await emptyService(world);
    const { id } = await makeHub(empty);
    const { page } = await world.visitor();
    await signIn(page, empty.service, empty.account);
    const requestedPaths = [];
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname));
    await page.goto(`${empty.service.url}/dash/records/hub`);
    await rows(page).first().waitFor();
    await see(page, HTML);
    await isText(page);
    requestedPaths.length = 0;
    await page.goto(`${empty.service.url}/dash/records/hub/${id}`);
    await see(page, `${RELATIONS - 1} ${HTML}`);
    await isText(page);
    const records = requestedPaths.filter((path) => path.startsWith('/api/content/'));
    assert.ok(records.length <= 2, records.join(' '));
  },

  'records shown: a long list of links loads a hundred at a time, and an edit keeps hidden links': async (world) => {
    const { service, account } = await emptyService(world);
    const send = await sending(service, account);
    await send('POST', '/api/schema?back_refs=create', { schemas: [TREE, LEAF] });
    const { id } = await send('POST', '/api/content/trees', { title: 'Oak' });
    for (let from = 0; from < LEAVES; from += 50) {
      const count = Math.min(50, LEAVES - from);
      const create = Array.from({ length: count }, (_, at) => ({
        op: 'create',
        schema: 'leaf',
        data: { title: `Leaf ${String(from + at).padStart(3, '0')}`, tree: { id } },
      }));
      await send('POST', '/api/batch', { operations: create });
    }
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    await signIn(page, service, account);
    await page.goto(`${service.url}/dash/records/tree/${id}`);
    const leaves = page.getByRole('list', { name: 'Leaves' }).getByRole('listitem');
    const more = page.getByRole('button', { name: 'Show more' });
    await see(page, 'The first 100 are shown.');
    assert.equal(await leaves.count(), 100);
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'record-many-links')), []);
    await page.setViewportSize(SIZES.wide);

    // A shown record is removed before the others are loaded.
    await page.getByRole('button', { name: /Leaf 003/ }).click();
    await more.click();
    await see(page, /The first (?:199|200) are shown\./);
    await more.click();
    await more.waitFor({ state: 'detached' });
    assert.equal(await leaves.count(), LEAVES - 1);
    await page.getByRole('button', { name: /Leaf 229/ }).click();
    await press(page, 'Save');
    await page.getByText('Saved.', { exact: true }).waitFor();
    const { total } = await send('GET', `/api/content/leaves?filter=${JSON.stringify({ tree: id })}&limit=1`);
    assert.equal(total, LEAVES - 2);
    await page.reload();
    await see(page, 'The first 100 are shown.');
  },
};

async function sending(service, { email, password }) {
  const { token } = await service.post('/api/auth/local/login', { login: email, password });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return async (method, path, body) => {
    const answer = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${text}`);
    return JSON.parse(text).data;
  };
}

async function isText(page) {
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  assert.equal(await page.locator('main b', { hasText: 'bold' }).count(), 0);
  assert.notEqual(await page.title(), '1');
}
