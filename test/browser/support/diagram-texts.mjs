/** Returns the English texts of a German diagram, visible or accessible. Returns all its texts if no node is labelled "Schema". */
export async function englishTextsOfDiagram(page) {
  const englishTexts = await page
    .locator('.react-flow')
    .evaluate((flow) =>
      [flow, ...flow.querySelectorAll('*')].flatMap((one) => [
        one.getAttribute('aria-label') ?? '',
        one.getAttribute('aria-roledescription') ?? '',
        one.getAttribute('title') ?? '',
        one.id.includes('desc') ? one.textContent : '',
      ]),
    );
  if (!englishTexts.includes('Schema')) return englishTexts;
  return englishTexts.filter((text) => /\b(node|edge|press|zoom|attribution|panel|handle)\b/i.test(text));
}
