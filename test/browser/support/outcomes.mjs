import assert from 'node:assert/strict';

/** Outcomes of what a person does, as they are read out. */

export const alerts = (page) => page.getByRole('alert');
export const status = (page, text) => page.getByRole('status').filter({ hasText: text }).first();

/** Waits until exactly one alert is there, and it has a text. */
export async function onlyAlert(page, text) {
  await alerts(page).filter({ hasText: text }).waitFor();
  assert.equal(await alerts(page).count(), 1, (await alerts(page).allInnerTexts()).join(' | '));
}
