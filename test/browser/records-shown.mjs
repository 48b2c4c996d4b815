import assert from 'node:assert/strict';
import { emptyService } from './support/empty-service.mjs';
import { see, signIn } from './support/pages.mjs';
import { rows } from './support/records-world.mjs';

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

/** Returns a record that leads to thirty others, whose texts look like HTML. */
async function makeHub({ service, account }) {
  const { token } = await service.post('/api/auth/local/login', { login: account.email, password: account.password });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const send = async (path, body) => {
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 201, path);
    return (await answer.json()).data;
  };
  await send('/api/schema?back_refs=create', { schemas: [SPOKE, HUB] });
  const links = {};
  for (let at = 0; at < RELATIONS; at += 1)
    links[`spoke${at}`] = (await send('/api/content/spokes', { title: `${at} ${HTML}` })).id;
  return send('/api/content/hubs', { title: HTML, body: HTML, ...links });
}

/** Scenarios of records as they are shown. */
export const recordShownScenarios = {
  'records shown: thirty relations of a record come with it, and no text of it is taken for HTML': async (world) => {
    const empty = await emptyService(world);
    const { id } = await makeHub(empty);
    const { page } = await world.visitor();
    await signIn(page, empty.service, empty.account);
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${empty.service.url}/dash/records/hub`);
    await rows(page).first().waitFor();
    await see(page, HTML);
    await isText(page);
    asked.length = 0;
    await page.goto(`${empty.service.url}/dash/records/hub/${id}`);
    await see(page, `${RELATIONS - 1} ${HTML}`);
    await isText(page);
    const records = asked.filter((path) => path.startsWith('/api/content/'));
    assert.ok(records.length <= 2, records.join(' '));
  },
};

async function isText(page) {
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  assert.equal(await page.locator('main b', { hasText: 'bold' }).count(), 0);
  assert.notEqual(await page.title(), '1');
}
