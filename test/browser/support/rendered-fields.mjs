/**
 * Types a text and returns the form fields that were rendered for it. React sets the `name` of an input at each render, even if it is
 * unchanged. This counts renders instead of measuring time.
 */
export async function renderedFields(input, text) {
  const page = input.page();
  await page.evaluate(() => {
    const drawn = new Set();
    globalThis.drawnFields = drawn;
    new MutationObserver((changes) => {
      for (const { target } of changes) drawn.add(target.closest('fieldset')?.querySelector('legend').innerText ?? '');
    }).observe(document.querySelector('main'), {
      subtree: true,
      attributes: true,
      attributeFilter: ['name'],
    });
  });
  await input.pressSequentially(text);
  return page.evaluate(() => [...globalThis.drawnFields]);
}
