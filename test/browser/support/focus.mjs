/** Minimum contrast between a focus indicator and the unfocused state (WCAG 2.2, 1.4.11 and 2.4.13). */
const LEAST_CONTRAST = 3;
/** Minimum share of the area of a two-pixel line around the control; corners are round. */
const LEAST_SHARE = 0.8;
const MARGIN = 6;

/**
 * Moves through a page with the Tab key and returns the controls whose focus indicator is hard to see: too few pixels change with enough
 * contrast. It compares screenshots, so any style can provide the indicator.
 */
export async function faintFocus(page) {
  await showAll(page);
  // A click on an empty place: the field loses the focus, and Tab starts at the top.
  await page.mouse.click(1, 1);
  await page.evaluate(holdStill);
  const session = await page.context().newCDPSession(page);
  const first = await settled(session);
  const seen = new Set();
  const controls = [];
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press('Tab');
    const control = await page.evaluate(describeFocused);
    if (control === null || seen.has(control.key)) break;
    seen.add(control.key);
    // The skip link is off the screen without focus, so there is nothing to compare with.
    if (control.name === 'Skip to content') continue;
    const box = around(control.box, page.viewportSize());
    controls.push({
      ...control,
      box,
      line: 4 * (control.box.width + control.box.height),
      after: await shot(session, box),
    });
  }
  await page.mouse.click(1, 1);
  const befores = [first, await settled(session)];
  await session.detach();
  const changes = await compare(page, { befores, controls, least: LEAST_CONTRAST });
  const faint = controls.flatMap(({ name, line }, index) =>
    changes[index] < LEAST_SHARE * line ? [`${name}: ${changes[index]} pixels`] : [],
  );
  return { count: seen.size, faint };
}

/** Counts the changed pixels of all controls at once, in another page without a Content-Security-Policy. */
async function compare(page, pictures) {
  const decoder = await page.context().newPage();
  try {
    return await decoder.evaluate(countChanged, pictures);
  } finally {
    await decoder.close();
  }
}

/** Makes the window as high as the page: nothing scrolls, and page coordinates are window coordinates. */
async function showAll(page) {
  const { width, height } = page.viewportSize();
  const needed = await page.evaluate(() => document.documentElement.scrollHeight);
  if (needed > height) await page.setViewportSize({ width, height: needed });
}

/** Returns a box with its margin in whole pixels, clipped to the window. */
function around({ x, y, width, height }, screen) {
  const [left, top] = [Math.max(0, Math.floor(x) - MARGIN), Math.max(0, Math.floor(y) - MARGIN)];
  const right = Math.min(screen.width, Math.ceil(x + width) + MARGIN);
  const bottom = Math.min(screen.height, Math.ceil(y + height) + MARGIN);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Takes a screenshot through the debugger, without the waiting of Playwright: nothing moves any more. */
async function shot(session, clip) {
  const part = clip && { clip: { ...clip, scale: 1 } };
  return (await session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true, ...part })).data;
}

/** Takes screenshots until two are identical: changes are painted in several steps. */
async function settled(session) {
  let last = await shot(session);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const next = await shot(session);
    if (next === last) return next;
    last = next;
  }
  throw new Error('The page does not come to rest.');
}

/**
 * Runs in the page: stops animations, hides caret and selection, and scrolls to the top. Adopted style sheets are not subject to the
 * Content-Security-Policy.
 */
async function holdStill() {
  const sheet = new CSSStyleSheet();
  const still = { 'caret-color': 'transparent', transition: 'none', animation: 'none' };
  const rules = Object.entries(still).map(([name, value]) => `${name}: ${value} !important;`);
  // The text of a field is selected when Tab reaches it. The selection must not count as a focus indicator.
  const unselected = '::selection { background: transparent !important; color: inherit !important; }';
  sheet.replaceSync(`*, ::before, ::after { ${rules.join(' ')} } ${unselected}`);
  document.adoptedStyleSheets = [sheet];
  window.scrollTo(0, 0);
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Runs in the page: describes the focused control. The box of a password field is that of its frame. */
function describeFocused() {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const frame = element.closest('[class*="PasswordInput-input"], .mantine-PasswordInput-input') ?? element;
  const box = (frame.contains(element) && element.tagName === 'INPUT' ? frame : element).getBoundingClientRect();
  const name = element.getAttribute('aria-label') ?? (element.labels?.[0]?.textContent || element.textContent || '');
  const { x, y, width, height } = box;
  return {
    key: `${element.tagName} ${name} ${Math.round(x)} ${Math.round(y)}`,
    name: name.trim(),
    box: { x: x + window.scrollX, y: y + window.scrollY, width, height },
  };
}

/**
 * Runs in another page without a policy. Counts the pixels around each control that changed with enough contrast, relative to the unfocused
 * screenshot with fewer changes. This excludes changes between the two unfocused screenshots.
 */
async function countChanged({ befores, controls, least }) {
  const wholes = await Promise.all(befores.map(decode));
  return Promise.all(
    controls.map(async ({ box, after }) => {
      const part = await decode(after);
      return Math.min(...wholes.map((whole) => changedIn(whole, box, part)));
    }),
  );

  function changedIn(whole, box, part) {
    const [one, other] = [pixels(whole, box, -box.x, -box.y), pixels(part, box, 0, 0)];
    let changed = 0;
    for (let index = 0; index < one.length; index += 4) {
      if (contrast(one, other, index) >= least) changed += 1;
    }
    return changed;
  }

  function decode(base64) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  }

  function pixels(bitmap, { width, height }, x, y) {
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    context.drawImage(bitmap, x, y);
    return context.getImageData(0, 0, width, height).data;
  }

  function contrast(one, other, index) {
    const [light, dark] = [luminance(one, index), luminance(other, index)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  }

  function luminance(data, index) {
    const [red, green, blue] = [0, 1, 2].map((offset) => {
      const value = data[index + offset] / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
}
