import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { SIZES } from './support/appearance-checks.mjs';
import { seeHeading } from './support/pages.mjs';
import { editor, rows } from './support/records-fixture.mjs';

const IMAGES = new URL('../../docs/images/', import.meta.url);
const WORDS = new URL('console.json', IMAGES);
const SCHEMES = ['light', 'dark'];

const SHOWN = {
  diagram: async (page, { url }) => {
    await page.goto(`${url}/dash/model?view=diagram`);
    await page.locator('.react-flow__edge').first().waitFor({ state: 'attached' });
  },
  records: async (page, { url }) => {
    await page.goto(`${url}/dash/records/post?sort=slug`);
    await rows(page).nth(10).waitFor();
  },
  faults: async (page, { url }) => {
    await page.goto(`${url}/dash/model/post`);
    await page.locator('.cm-content').waitFor();
    const text = (await page.locator('.cm-content .cm-line').allInnerTexts()).join('\n');
    const faulty = { ...JSON.parse(text), label_field: 'titel', fields: JSON.parse(text).fields.map(misspelt) };
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(JSON.stringify(faulty, null, 2));
    await page.keyboard.press('Control+Home');
    await page.getByRole('tab', { name: /^[1-9]\d* errors$/ }).click();
  },
  access: async (page, { url }) => {
    await page.goto(`${url}/dash/access`);
    await seeHeading(page, 'Access');
    await page.getByRole('link', { name: /^guest, post: / }).click();
    await page.getByRole('link', { name: /^guest, post: / }).waitFor();
  },
};

/** Checks the console screenshots. `npm run screenshots` takes them again; otherwise the recorded texts of the pages must still match. */
export const screenshotScenarios = {
  'screenshots: the images in docs match the console': async (world) => {
    const { page, service } = await editor(world, { timezoneId: 'UTC' });
    await page.setViewportSize(SIZES.wide);
    const words = {};
    for (const [name, open] of Object.entries(SHOWN)) {
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.evaluate(() => sessionStorage.clear()).catch(() => undefined);
        await open(page, service);
        await page.waitForFunction(() => !document.querySelector('main').innerText.includes('Loading…'));
        words[name] = await wordsOf(page);
        if (world.writes) await take(page, `console-${name}-${colorScheme}.webp`);
      }
    }
    if (world.writes) await writeFile(WORDS, `${JSON.stringify(words, null, 2)}\n`);
    assert.deepEqual(words, JSON.parse(await readFile(WORDS, 'utf8')), 'run npm run screenshots');
    for (const name of Object.keys(SHOWN))
      for (const scheme of SCHEMES)
        assert.ok((await readFile(new URL(`console-${name}-${scheme}.webp`, IMAGES))).length > 0);
  },
};

async function wordsOf(page) {
  const text = await page.getByRole('main').innerText();
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

async function take(page, name) {
  const { default: sharp } = await import('sharp');
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await sharp(picture).webp({ quality: 82 }).toFile(new URL(name, IMAGES).pathname);
}

function misspelt(field) {
  return field.name === 'views' ? { ...field, type: 'itn64' } : field;
}
