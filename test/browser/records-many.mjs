import assert from 'node:assert/strict';
import { join } from 'node:path';
import { emptyService } from './support/empty-service.mjs';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, see, seeHeading, signIn } from './support/pages.mjs';
import { cell, rows } from './support/records-fixture.mjs';

/** For a manual run with a million records and a hundred thousand scrolled rows: `PARCELS=1000000 SCROLLED=100000`. */
const PARCELS = Number(process.env.PARCELS ?? 100_000);
const SCROLLED = Number(process.env.SCROLLED ?? 5_000);
const MEGABYTE = 1_048_576;
const MEANT = 1_400;
const PARCEL = {
  name: 'parcel',
  namespace: 'parcels',
  label_field: 'title',
  fields: [
    { type: 'string', name: 'title', searchable: true },
    { type: 'int32', name: 'number' },
    { type: 'int32', name: 'shelf', optional: true },
  ],
};
const LABEL = {
  name: 'label',
  namespace: 'labels',
  label_field: 'title',
  fields: [
    { type: 'string', name: 'title' },
    { type: 'relation', name: 'parcel', relation: { schema: 'parcel', field: 'labels', type: 'o2m' } },
  ],
};

/** Creates a user with all permissions and many records; once per run. */
async function manyParcels(world) {
  const { service, account } = await emptyService(world);
  world.parcels ??= fill(service, account);
  const ask = await world.parcels;
  const { page } = await world.visitor();
  await signIn(page, service, account);
  return { page, service, ask };
}

async function fill(service, { email, password }) {
  const { token } = await service.post('/api/auth/local/login', { login: email, password });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const ask = async (method, path, body) => {
    const answer = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    assert.ok(answer.ok, `${method} ${path} answered ${answer.status}`);
    return (await answer.json()).data;
  };
  await ask('POST', '/api/schema?back_refs=create', { schemas: [PARCEL, LABEL] });
  await service.sql(
    `INSERT INTO parcels (id, title, number)
     SELECT gen_random_uuid(), 'Parcel ' || n, n FROM generate_series(1, ${PARCELS}) AS n`,
  );
  await service.sql('VACUUM ANALYZE parcels');
  return ask;
}

function requestedRecords(page) {
  const requests = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith('/api/content/')) requests.push({ method: request.method(), url });
  });
  return requests;
}

export const recordManyScenarios = {
  'records: a cancelled bulk change reports its progress and leaves the rest': async (world) => {
    const { page, service, ask } = await manyParcels(world);
    const filter = encodeURIComponent(JSON.stringify({ number: { $lte: MEANT } }));
    const onShelf = (shelf) => encodeURIComponent(JSON.stringify({ shelf: { $eq: shelf } }));
    await page.goto(`${service.url}/dash/records/parcel?filter=${filter}&columns=title,number,shelf`);
    await rows(page).first().waitFor();
    await cell(page, 0, 0).check();
    await press(page, 'Select all matching records');
    await see(page, 'All 1,400 matching records selected');
    await press(page, 'Edit a field');
    await page.getByRole('region').getByLabel('Field').selectOption('shelf');
    await page.getByRole('region').getByLabel('Value').fill('7');
    await page.getByRole('region').locator('form').getByRole('button', { name: 'Edit a field' }).click();
    await see(page, 'Change 1,400 records?');

    // The page is reloaded during the third hundred. A locked record keeps the change there.
    const third = `SELECT id FROM parcels WHERE number <= ${MEANT} ORDER BY id LIMIT 1 OFFSET 250`;
    const letGo = await service.holding(`SELECT FROM parcels WHERE id = (${third})`);
    await press(page, 'Yes, continue');
    await see(page, '200 of 1,400');
    await page.reload();
    await see(page, '200 of 1,400');
    await page.getByRole('progressbar').waitFor();
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'records-bulk-running')), []);
    await page.setViewportSize(SIZES.wide);
    await press(page, 'Stop');
    await letGo();
    await page
      .getByRole('status')
      .getByText(/^[23]00 records processed\.$/)
      .waitFor();
    const done = (await ask('GET', `/api/content/parcel?filter=${onShelf(7)}&limit=1`)).total;
    await see(page, `${done} records processed.`);
    await press(page, 'Close');

    // A filter finds the remaining records.
    const left = encodeURIComponent(
      JSON.stringify({ $and: [{ number: { $lte: MEANT } }, { shelf: { $null: true } }] }),
    );
    assert.equal((await ask('GET', `/api/content/parcel?filter=${left}&limit=1`)).total, MEANT - done);
    assert.equal(await page.locator('[role=progressbar], progress').count(), 0);
  },

  'records: a long list uses cursors, counts on request and renders only visible rows': async (world) => {
    const { page, service } = await manyParcels(world);
    const requests = requestedRecords(page);
    const inspector = await page.context().newCDPSession(page);
    const heap = async () => {
      await inspector.send('HeapProfiler.collectGarbage');
      return (await inspector.send('Runtime.getHeapUsage')).usedSize;
    };
    const began = performance.now();
    await page.goto(`${service.url}/dash/records/parcel`);
    await rows(page).first().waitFor();
    console.log(`     the first of ${PARCELS} rows: ${Math.round(performance.now() - began)} ms`);
    assert.deepEqual(
      requests.map(({ url }) => [url.searchParams.get('cursor'), url.searchParams.get('count')]),
      [['', null]],
    );
    await press(page, 'Count');
    await see(page, '10,000+ records');
    assert.deepEqual(new Set(requests.map(({ url }) => url.searchParams.get('count'))), new Set([null, 'capped']));

    const before = await heap();
    const most = await page.getByRole('grid').evaluate(async (grid, wanted) => {
      let elements = 0;
      while (grid.scrollHeight < wanted * 40) {
        grid.scrollTop = grid.scrollHeight;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        elements = Math.max(elements, grid.querySelectorAll('[role=row]').length);
      }
      return elements;
    }, SCROLLED);
    const grown = (await heap()) - before;
    console.log(`     ${SCROLLED} rows gone through: ${Math.round(grown / MEGABYTE)} MB more, ${most} rows at most`);
    assert.ok(most <= 200 && grown < 50 * MEGABYTE);
    const lists = requests.filter(({ url }) => !url.searchParams.has('count'));
    assert.ok(lists.length >= SCROLLED / 100);
    for (const { url } of lists) assert.ok(url.searchParams.has('cursor') && !url.searchParams.has('page'));
  },

  'records: the relation picker searches many records, twenty per page, by keyboard': async (world) => {
    const { page, service, ask } = await manyParcels(world);
    const requests = requestedRecords(page);
    await page.goto(`${service.url}/dash/records/label/new`);
    await page.getByLabel('Title', { exact: true }).fill('To the harbour');
    const search = page.getByRole('combobox', { name: 'Parcel' });
    const options = page.getByRole('listbox').getByRole('option');
    await search.focus();
    await options.first().waitFor();
    assert.equal(await options.count(), 20);
    // The last option is visible when it is selected by keyboard.
    for (let step = 0; step < 19; step += 1) await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { selected: true }).and(options.last()).waitFor();
    const isSeen = await options.last().evaluate((option) => {
      const [inner, outer] = [option, option.parentElement].map((element) => element.getBoundingClientRect());
      return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
    });
    assert.ok(isSeen, 'the option that the arrows have come to is out of sight');
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'records-picker-many')), []);
    await page.setViewportSize(SIZES.wide);
    await search.fill('Parcel 77777');
    await page.getByRole('option', { name: 'Parcel 77777', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Parcel' }).getByText('Parcel 77777').waitFor();

    const searches = requests.filter(({ url }) => url.pathname === '/api/content/parcel');
    assert.ok(searches.length <= 3, searches.map(({ url }) => url.search).join(' '));
    for (const { url } of searches) {
      assert.equal(url.searchParams.get('limit'), '20');
      assert.match(url.searchParams.get('select'), /title/);
    }
    await press(page, 'Save');
    await seeHeading(page, 'To the harbour');
    const { items } = await ask('GET', '/api/content/label?select=title,parcel.title');
    assert.deepEqual(
      items.map(({ parcel }) => parcel.title),
      ['Parcel 77777'],
    );
  },
};
