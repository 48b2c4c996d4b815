import assert from 'node:assert/strict';
import nginx from '../support/nginx.cjs';
import { onlyAlert, status } from './support/outcomes.mjs';
import { press, signIn } from './support/pages.mjs';
import { asking, cell, EDITOR, recordsService } from './support/records-fixture.mjs';

export const missingEtagScenarios = {
  'forms: the second editor sees a conflict behind a proxy that removes entity tags': async (world) => {
    const service = await recordsService(world);
    const ask = await asking(service);
    const { id } = await ask('POST', '/api/content/category', { name: 'Shared', slug: 'shared' });
    const port = await nginx.freePort();
    const upstream = Number(new URL(service.url).port);
    const more = `proxy_hide_header ETag; proxy_set_header Host localhost:${upstream}; proxy_set_header Origin ${service.url};`;
    const url = `http://localhost:${port}`;
    const block = nginx.servedBelow({ port, upstream, path: '', strip: false, more });
    const proxy = await nginx.startNginx([block.replace('proxy_set_header Host $http_host;', '')], port);
    try {
      const pages = [];
      for (const key of ['one', 'other']) {
        const { page } = await world.visitor({ origins: [url] });
        await signIn(page, { url }, EDITOR);
        await page.goto(`${url}/dash/records/category/${id}`);
        await page.getByLabel('Name', { exact: true }).fill(`Named by ${key}`);
        pages.push(page);
      }
      const [one, other] = pages;
      await press(one, 'Save');
      await status(one, 'Saved.').waitFor();
      await press(other, 'Save');
      await onlyAlert(other, 'Another user has changed this record.');
      assert.equal(await other.getByLabel('Name', { exact: true }).inputValue(), 'Named by other');
      assert.equal((await ask('GET', `/api/content/category/${id}`)).name, 'Named by one');

      // The same in a list.
      const list = `${url}/dash/records/category?filter=${encodeURIComponent(JSON.stringify({ id }))}`;
      for (const [at, page] of pages.entries()) {
        await page.goto(list);
        await cell(page, 0, 2).dblclick();
        await page.keyboard.press('Control+A');
        await page.keyboard.type(`Cell ${at}`);
        await page.keyboard.press('Enter');
        await page.getByRole('gridcell', { name: `Cell ${at}`, exact: true }).waitFor();
      }
      await press(one, 'Save');
      await status(one, 'Saved.').waitFor();
      await press(other, 'Save');
      await onlyAlert(other, /^Changed by another user/);
      assert.equal((await ask('GET', `/api/content/category/${id}`)).name, 'Cell 0');

      // The same with permissions.
      const role = await ask('POST', '/api/content/role', { name: 'untagged' });
      const permission = { role: { id: role.id }, resource: 'content.category.list', value: 'allow' };
      await ask('POST', '/api/content/permission', permission);
      for (const [page, value] of [
        [one, 'deny'],
        [other, 'none'],
      ]) {
        await page.goto(`${url}/dash/access?role=${role.id}&schema=category`);
        await page.getByLabel('List', { exact: true }).selectOption(value);
      }
      await press(one, 'Save');
      await status(one, 'Saved.').waitFor();
      await press(other, 'Save');
      await onlyAlert(other, /^Another user has changed one of these permissions/);
      await ask('DELETE', `/api/content/role/${role.id}`);
    } finally {
      await proxy.close();
    }
    await ask('DELETE', `/api/content/category/${id}`);
  },
};
