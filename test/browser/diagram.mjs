import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, seeHeading } from './support/pages.mjs';
import { editor } from './support/records-fixture.mjs';
import { scriptsOf } from './support/script-size.mjs';

const box = (page, name) => page.locator(`.react-flow__node[data-id="${name}"]`);
const placeOf = async (page, name) => (await box(page, name).getAttribute('style')).match(/translate\(([^)]*)\)/)[1];

async function openDiagram(page, { url }, query = '') {
  await page.goto(`${url}/dash/model?view=diagram${query}`);
  await box(page, 'post').waitFor();
}

async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, name)]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

export const diagramScenarios = {
  'diagram: shows schemas and relations, keeps their positions and exports an image': async (world) => {
    const { page, service } = await editor(world);
    await page.goto(`${service.url}/dash/model`);
    const { names } = await scriptsOf(page, () => page.reload().then(() => seeHeading(page, 'Data model')));
    await page.getByRole('navigation', { name: 'View' }).getByRole('link', { name: 'Diagram' }).click();
    await box(page, 'post').waitFor();
    const views = page.getByRole('navigation', { name: 'View' });
    assert.deepEqual(await views.locator('[aria-current]').allInnerTexts(), ['Diagram']);
    // The code of the diagram loads only when it is opened.
    assert.deepEqual(
      names.filter((name) => /diagram|canvas/i.test(name)),
      [],
    );
    const shown = await page.locator('.react-flow__node').allInnerTexts();
    assert.deepEqual(shown.map((text) => text.split('\n')[0]).sort(), ['author', 'category', 'post', 'tag']);
    assert.match(await box(page, 'author').innerText(), /^author\nname\nstring\n/);
    await page.locator('.react-flow__edge').first().waitFor({ state: 'attached' });
    assert.equal(await page.locator('.react-flow__edge').count(), await page.getByTitle(/^\w+ · \w+$/).count());

    // Moving by mouse and by keyboard.
    const before = await placeOf(page, 'tag');
    const { x, y, width } = await box(page, 'tag').boundingBox();
    await page.mouse.move(x + width - 15, y + 8);
    await page.mouse.down();
    await page.mouse.move(x + width + 60, y + 50, { steps: 5 });
    await page.mouse.up();
    const dragged = await placeOf(page, 'tag');
    assert.notEqual(dragged, before);
    await box(page, 'author').focus();
    const still = await placeOf(page, 'author');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    const moved = await placeOf(page, 'author');
    assert.notEqual(moved, still);
    await page.reload();
    await box(page, 'post').waitFor();
    assert.deepEqual([await placeOf(page, 'tag'), await placeOf(page, 'author')], [dragged, moved]);

    const svg = await saved(page, 'Save as SVG');
    assert.equal(svg.name, 'schemas.svg');
    assert.match(svg.bytes.toString(), /^<svg [^>]*>\n[\s\S]*>category<[\s\S]*<\/svg>$/);
    const png = await saved(page, 'Save as PNG');
    assert.equal(png.name, 'schemas.png');
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.bytes.length > 10_000 && png.bytes.readUInt32BE(16) > 500, `${png.bytes.length} bytes`);

    await press(page, 'Rearrange');
    assert.equal(await placeOf(page, 'tag'), before);
    await page.reload();
    await box(page, 'post').waitFor();
    assert.equal(await placeOf(page, 'tag'), before);
  },

  'diagram: shows the related schemas of one schema and links to its definition': async (world) => {
    const { page, service } = await editor(world);
    await openDiagram(page, service);
    await page.getByLabel('Around').selectOption('author');
    await page.waitForURL(/around=author/);
    await box(page, 'tag').locator('[data-stub]').waitFor();
    assert.equal(await box(page, 'post').locator('[data-stub]').count(), 0);
    await page.reload();
    await box(page, 'tag').locator('[data-stub]').waitFor();
    await box(page, 'tag').getByRole('link', { name: 'tag' }).click();
    await seeHeading(page, 'tag');
  },

  'diagram: is screenshotted, passes axe and fits a small screen': async (world) => {
    const { page, service } = await editor(world);
    await page.setViewportSize(SIZES.wide);
    await openDiagram(page, service);
    await box(page, 'category').waitFor();
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'diagram')), []);
  },
};
