import { join } from 'node:path';
import axe from 'axe-core';

export const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } };
/** Window size for 1280 by 800 at 200 % zoom (WCAG 2.2, 1.4.4). */
const TWICE = { width: 640, height: 400 };

export async function checkAppearance(page, path) {
  const picture = (name) => page.screenshot({ path: `${path}-${name}.png`, fullPage: true });
  await page.evaluate(axe.source);
  await picture('light');
  const faults = await findings(page);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await picture('dark');
  // In the other colour scheme only the contrast differs.
  faults.push(...(await findings(page, ['color-contrast'])));
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(SIZES.narrow);
  await picture('narrow');
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await picture('narrow-dark');
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  faults.push(...(await overflow(page, SIZES.narrow)), ...(await overflow(page, TWICE)));
  await page.setViewportSize(SIZES.narrow);
  return faults;
}

async function overflow(page, { width, height }) {
  await page.setViewportSize({ width, height });
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return excess > 0 ? [`sticks out by ${excess} px of ${width}`] : [];
}

export async function checkAppearances(page, world, views) {
  const faults = [];
  for (const [name, open] of Object.entries(views)) {
    await page.setViewportSize(SIZES.wide);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await open(page, world);
    faults.push(...(await checkAppearance(page, join(world.artifacts, name))).map((fault) => `${name} ${fault}`));
  }
  return faults;
}

/**
 * Returns serious and critical axe findings. The debugger injects axe, so the page's policy does not block it. All rules apply to all
 * elements; only violations are reported, which halves the work.
 */
async function findings(page, rules) {
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const { violations } = await page.evaluate((given) => globalThis.axe.run(document, given), options);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join('; ')}`);
}
