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
  const before = await shot(page);
  const decoder = await page.context().newPage();
  const seen = new Set();
  const faint = [];
  try {
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press('Tab');
      const control = await page.evaluate(describeFocused);
      if (control === null || seen.has(control.key)) break;
      seen.add(control.key);
      // It is off the screen until it has the focus, so there is nothing to compare with.
      if (control.name === 'Skip to content') continue;
      const box = around(control.box, page.viewportSize());
      const pictures = { before, after: await shot(page, box) };
      const changed = await decoder.evaluate(countChanged, { pictures, box, least: LEAST_CONTRAST });
      const { width, height } = control.box;
      if (changed < LEAST_SHARE * 4 * (width + height)) faint.push(`${control.name}: ${changed} pixels`);
    }
  } finally {
    await decoder.close();
  }
  return { count: seen.size, faint };
}

/** Makes the screen as high as the page: nothing scrolls, and a part of the page is a part of the screen. */
async function showAll(page) {
  const { width, height } = page.viewportSize();
  const needed = await page.evaluate(() => document.documentElement.scrollHeight);
  if (needed > height) await page.setViewportSize({ width, height: needed });
}

/** A box with its margin, in whole pixels, as far as it is on the screen. */
function around({ x, y, width, height }, screen) {
  const [left, top] = [Math.max(0, Math.floor(x) - MARGIN), Math.max(0, Math.floor(y) - MARGIN)];
  const right = Math.min(screen.width, Math.ceil(x + width) + MARGIN);
  const bottom = Math.min(screen.height, Math.ceil(y + height) + MARGIN);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

async function shot(page, clip) {
  return (await page.screenshot({ clip, animations: 'disabled', caret: 'hide' })).toString('base64');
}

/** In the page: what has the focus; the box of a field is that of its frame. */
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

/** In another page, without a policy: how many pixels around a box changed by enough contrast. */
async function countChanged({ pictures, box, least }) {
  const before = await pixels(pictures.before, -box.x, -box.y);
  const after = await pixels(pictures.after, 0, 0);
  let changed = 0;
  for (let index = 0; index < before.length; index += 4) {
    if (contrast(before, after, index) >= least) changed += 1;
  }
  return changed;

  async function pixels(base64, x, y) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(box.width, box.height).getContext('2d');
    context.drawImage(bitmap, x, y);
    return context.getImageData(0, 0, box.width, box.height).data;
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
