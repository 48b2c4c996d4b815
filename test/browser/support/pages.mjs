import assert from 'node:assert/strict';

/** User actions on the pages, by their visible texts. */

/** Base path of the services behind a proxy. */
let basePath = '';

export function setBasePath(path) {
  basePath = path;
}

export function cookiePath() {
  return basePath === '' ? '/' : basePath;
}

export function pathOf(address) {
  const { pathname } = new URL(address);
  assert.ok(pathname.startsWith(basePath), `${pathname} is outside of ${basePath}`);
  return pathname.slice(basePath.length);
}

/** Headings of the first page after a sign-in: the account, or the first accessible part of the console. */
const BEGINNING = /^(Your account|Records|Data model|Access|People|Programs|Service)$/;

export async function signIn(page, service, { email, password }) {
  await page.goto(`${service.url}/dash/login`);
  await fillPassword(page, email, password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: BEGINNING }).waitFor();
}

export async function signInByProvider(page, service, button = 'Continue as Ada') {
  await page.goto(`${service.url}/dash/login`);
  await page.getByRole('link', { name: 'Continue with Acme' }).click();
  await press(page, button);
}

export async function fillPassword(page, login, password) {
  await page.getByLabel('User name or e-mail').fill(login);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

export async function fillAccount(page, { email, username, password }) {
  await page.getByLabel('E-mail', { exact: true }).fill(email);
  await page.getByLabel('User name (optional)').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat password', { exact: true }).fill(password);
}

export async function seeHeading(page, name) {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

export async function see(page, text) {
  await page.getByText(text).first().waitFor();
}

export async function press(page, name) {
  await settled(page);
  await page.getByRole('button', { name, exact: true }).click();
}

/**
 * Waits until a definition is validated. A message that appears or disappears moves the controls below it. If this happens between the
 * press and the release of the mouse button, there is no click.
 */
export async function settled(page) {
  await page.getByText('Checking…').first().waitFor({ state: 'hidden' });
}

/** Presses Tab until a control with this name has the focus. */
export async function tabTo(page, name) {
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    const reached = await page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent;
    });
    if (reached?.trim() === name) return;
  }
  assert.fail(`no Tab leads to ${name}`);
}

/** Asserts that the URL has no fragment and no secret parameter. */
export function assertCleanAddress(page, path) {
  const { hash, searchParams } = new URL(page.url());
  assert.equal(pathOf(page.url()), path);
  assert.equal(hash, '');
  for (const name of ['token', 'code', 'error']) assert.equal(searchParams.get(name), null);
}

export async function fillNewPassword(page, password) {
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('Repeat new password', { exact: true }).fill(password);
}

/** Makes requests of a page require a step-up, as eleven minutes after a sign-in, until the user completes one. */
export async function asksForProof(page, address) {
  let isProven = false;
  await page.route('**/api/auth/mfa/step-up', async (route) => {
    const response = await route.fetch();
    isProven ||= response.ok();
    return route.fulfill({ response });
  });
  await page.route(address, (route) => {
    if (isProven || route.request().method() === 'GET') return route.continue();
    const json = { code: '401', message: 'Sign in again.', data: { error: 'step_up_required' } };
    return route.fulfill({ status: 401, json });
  });
}

export async function provePassword(page, password) {
  await page.getByRole('dialog').getByLabel('Current password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

export function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    const name = element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent;
    return (name ?? '').trim();
  });
}
