/** Returns what the canvas of a German diagram says in English, to who sees it or hears it; all that it says where no schema is called one. */
export async function englishOfDiagram(page) {
  const said = await page
    .locator('.react-flow')
    .evaluate((flow) =>
      [flow, ...flow.querySelectorAll('*')].flatMap((one) => [
        one.getAttribute('aria-label') ?? '',
        one.getAttribute('aria-roledescription') ?? '',
        one.getAttribute('title') ?? '',
        one.id.includes('desc') ? one.textContent : '',
      ]),
    );
  if (!said.includes('Schema')) return said;
  return said.filter((text) => /\b(node|edge|press|zoom|attribution|panel|handle)\b/i.test(text));
}
