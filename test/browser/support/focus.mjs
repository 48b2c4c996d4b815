/** Contrast that a mark of focus needs against what was there before (WCAG 2.2, 1.4.11 and 2.4.13). */
const LEAST_CONTRAST = 3;
/** Of the area of a line of two pixels around the control; corners are round. */
const LEAST_SHARE = 0.8;
const MARGIN = 6;

/**
 * Goes through a page by the Tab key, and answers the controls whose focus is hard to see: too few pixels change by enough
 * contrast. What is compared is what was rendered, whatever style made it.
 */
export async function faintFocus(page) {
  await showAll(page);
  // A click on nothing: the focus leaves its field, and Tab begins at the top.
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
    // It is off the screen until it has the focus, so there is nothing to compare with.
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

/** Counts what changed around each control: all of a page at once, in another one that has no policy. */
async function compare(page, pictures) {
  const decoder = await page.context().newPage();
  try {
    return await decoder.evaluate(countChanged, pictures);
  } finally {
    await decoder.close();
  }
}

/** Makes the screen as high as the page: nothing scrolls, and a part of the page is a part of the screen. */
async function showAll(page) {
  const { width, height } = page.viewportSize();
  const needed = await page.evaluate(() => document.documentElement.scrollHeight);
  if (needed > height) await page.setViewportSize({ width, height: needed });
}

/** Returns a box with its margin, in whole pixels, as far as it is on the screen. */
function around({ x, y, width, height }, screen) {
  const [left, top] = [Math.max(0, Math.floor(x) - MARGIN), Math.max(0, Math.floor(y) - MARGIN)];
  const right = Math.min(screen.width, Math.ceil(x + width) + MARGIN);
  const bottom = Math.min(screen.height, Math.ceil(y + height) + MARGIN);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Takes a picture of a part of the screen, without what Playwright does around each: nothing moves any more. */
async function shot(session, clip) {
  const part = clip && { clip: { ...clip, scale: 1 } };
  return (await session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true, ...part })).data;
}

/** Takes pictures of the screen until two are the same: what has just changed is drawn piece by piece. */
async function settled(session) {
  let last = await shot(session);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const next = await shot(session);
    if (next === last) return next;
    last = next;
  }
  throw new Error('The page does not come to rest.');
}

/** Ends, in the page, what moves, hides caret and selection, and waits until that is drawn, from the top. No policy binds this way. */
async function holdStill() {
  const sheet = new CSSStyleSheet();
  const still = { 'caret-color': 'transparent', transition: 'none', animation: 'none' };
  const rules = Object.entries(still).map(([name, value]) => `${name}: ${value} !important;`);
  // A field whose text is selected when Tab comes to it has no better mark of focus than an empty one.
  const unselected = '::selection { background: transparent !important; color: inherit !important; }';
  sheet.replaceSync(`*, ::before, ::after { ${rules.join(' ')} } ${unselected}`);
  document.adoptedStyleSheets = [sheet];
  window.scrollTo(0, 0);
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Describes, in the page, the control that has the focus; the box of a field is that of its frame. */
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
 * Counts, in another page without a policy, how many pixels around the box of each control changed by enough contrast, against the
 * picture with fewer changes. What moved by itself between the two is no mark of focus.
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
