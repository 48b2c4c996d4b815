/**
 * Types a text, and answers the fields of the form that were drawn for it, each once. React writes the `name` of an input anew
 * whenever it is drawn, changed or not: that is counted, and no time.
 */
export async function drawnByKeys(input, text) {
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
