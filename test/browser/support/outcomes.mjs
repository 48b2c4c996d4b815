import assert from 'node:assert/strict';

/** Accessible results of user actions. */

export const alerts = (page) => page.getByRole('alert');
export const status = (page, text) => page.getByRole('status').filter({ hasText: text }).first();

export async function onlyAlert(page, text) {
  await alerts(page).filter({ hasText: text }).waitFor();
  assert.equal(await alerts(page).count(), 1, (await alerts(page).allInnerTexts()).join(' | '));
}
