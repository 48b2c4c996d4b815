import assert from 'node:assert/strict';
import { press, see, seeHeading } from './support/pages.mjs';
import { asking, cell, editor, rows } from './support/records-fixture.mjs';

/** A window of 1280 by 800 at 200 % zoom (WCAG 2.2, 1.4.4). */
const TWICE = { width: 640, height: 400 };

/** Describes how the focused control is hidden; null if it is visible. */
function hidden() {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  if (element === null || element === document.body) return null;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [x1, x2] = [Math.max(left, 0), Math.min(right, innerWidth)];
  const [y1, y2] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
  const name =
    `${element.tagName} ${element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent}`.slice(0, 60);
  if (x2 - x1 < 1 || y2 - y1 < 1) return `${name} is out of the window`;
  const over = element.getRootNode().elementFromPoint((x1 + x2) / 2, (y1 + y2) / 2);
  return over === null || element.contains(over) || over.contains(element)
    ? null
    : `${name} is behind ${over.tagName} ${over.textContent.slice(0, 40)}`;
}

/** Presses a key repeatedly and returns the hidden controls on the way. */
async function through(page, key, times) {
  const found = [];
  for (let step = 0; step < times; step += 1) {
    await page.keyboard.press(key);
    await page.waitForTimeout(30);
    const fault = await page.evaluate(hidden);
    if (fault !== null) found.push(fault);
  }
  return [...new Set(found)];
}

export const focusScenarios = {
  'focus: at 200 % zoom nothing covers the focused element': async (world) => {
    const { page, service } = await editor(world, { viewport: TWICE });
    const ask = await asking(service);
    const [{ id, title }] = (await ask('GET', '/api/content/post?sort=slug&limit=1&select=id,title')).items;
    const faults = {};
    await page.goto(`${service.url}/dash/records/post/${id}`);
    await seeHeading(page, title);
    await page.getByLabel('Title', { exact: true }).fill('Twice as large');
    faults.form = await through(page, 'Tab', 24);
    await page.screenshot({ path: `${world.artifacts}/reach-form.png` });
    faults.formBack = await through(page, 'Shift+Tab', 24);
    await page.goto(`${service.url}/dash/records/post?columns=title,views,status&sort=slug`);
    await rows(page).first().waitFor();
    faults.list = await through(page, 'Tab', 20);
    await cell(page, 0, 0).check();
    await see(page, '1 selected');
    await cell(page, 0, 2).focus();
    faults.grid = await through(page, 'ArrowDown', 20);
    await page.screenshot({ path: `${world.artifacts}/reach-grid.png` });
    faults.gridUp = await through(page, 'ArrowUp', 20);
    faults.bulk = await through(page, 'Tab', 6);
    await page.screenshot({ path: `${world.artifacts}/reach-bulk.png` });
    await press(page, 'Edit a field');
    faults.bulkEdit = await through(page, 'Tab', 6);
    await page.screenshot({ path: `${world.artifacts}/reach-bulk-edit.png` });
    await page.goto(`${service.url}/dash/model/post`);
    await page.getByRole('button', { name: 'Show the plan' }).waitFor();
    await page.locator('.cm-content').waitFor();
    faults.model = await through(page, 'Tab', 60);
    await page.keyboard.press('Escape');
    await page.goto(`${service.url}/dash/records`);
    await seeHeading(page, 'Records');
    await page.getByRole('button', { name: 'Go to…' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    faults.palette = await through(page, 'ArrowDown', 12);
    await page.screenshot({ path: `${world.artifacts}/reach-palette.png` });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    faults.help = await through(page, 'Tab', 3);
    await page.screenshot({ path: `${world.artifacts}/reach-help.png` });
    await page.keyboard.press('Escape');
    await page.goto(`${service.url}/dash/access`);
    await seeHeading(page, 'Access');
    await page.locator('main table').first().waitFor();
    faults.access = await through(page, 'Tab', 40);
    for (const [path, heading] of [
      ['people', 'Users'],
      ['service', 'Service'],
      ['account', 'Your account'],
    ]) {
      await page.goto(`${service.url}/dash/${path}`);
      await seeHeading(page, heading);
      await page.locator('main button, main a').first().waitFor();
      faults[path] = await through(page, 'Tab', 30);
    }
    const found = Object.entries(faults).flatMap(([place, list]) => list.map((fault) => `${place}: ${fault}`));
    assert.deepEqual(found, []);
  },
};
