import { TestApp, type TestAppOptions } from './test-app.js';
import { type Page, TestBrowser } from './test-browser.js';

/** The public address of the product in these tests. */
export const APP = 'http://lintel.test';
const DASH = /\/dash\//;

/** Settings of providers by name: all of them are enabled. */
export function providersVariable(providers: Readonly<Record<string, object>>): string {
  return JSON.stringify({ enabled_providers: Object.keys(providers), providers });
}

/** Returns the product with some providers. */
export function startSocialApp(
  providers: Readonly<Record<string, object>>,
  options: TestAppOptions = {},
): Promise<TestApp> {
  return TestApp.start({ ...options, env: { AUTH: providersVariable(providers), ...options.env } });
}

/** Returns a browser without cookies, in front of the product. */
export function freshBrowser(app: TestApp): TestBrowser {
  return new TestBrowser({ [APP]: app.url });
}

/** Signs in by a provider and answers where the browser ended: the path and fragment of the page. */
export async function signInBy(app: TestApp, provider: string, browser = freshBrowser(app)): Promise<string> {
  return landing(await browser.follow(`${APP}/api/auth/${provider}/login`, DASH));
}

/** Returns where an answer sends the browser, without the origin. */
export function landing({ location }: Page): string {
  return location?.replace(APP, '') ?? '';
}

/** Goes to a provider and answers the address with which the browser would come back. */
export async function comeBack(browser: TestBrowser, provider: string, query = ''): Promise<string> {
  const page = await browser.follow(`${APP}/api/auth/${provider}/login${query}`, /\/callback\?/);
  return page.location ?? '';
}

/** Exchanges the code of a landing and answers the access token. */
export async function exchange(app: TestApp, landed: string): Promise<string> {
  const code = /^\/dash\/login(?:\?lang=\w+)?#code=([\w-]{43})$/.exec(landed)?.[1];
  const { body } = await app.asGuest().post('/api/auth/exchange', { code }).expect(200);
  return (body as { token: string }).token;
}

/** Signs in by a provider, exchanges the code, and answers who `me` says it is. */
export async function meBy(app: TestApp, provider: string): Promise<Record<string, unknown>> {
  const token = await exchange(app, await signInBy(app, provider));
  return (await app.as(token).get('/api/auth/me').expect(200)).body as Record<string, unknown>;
}

/** Asks, in a browser, for the address at which linking a provider to the account of a token, or a step-up there, begins. */
export async function beginLinking(
  { app, browser, token }: { app: TestApp; browser: TestBrowser; token: string },
  body: Readonly<Record<string, unknown>>,
  path = '/api/auth/identities',
): Promise<string> {
  const [cookie] = browser.cookies(APP);
  const response = await app
    .as(token)
    .post(path, body)
    .set('cookie', cookie === undefined ? '' : `${cookie.name}=${cookie.value}`)
    .expect(200);
  browser.keep(new URL(APP), response.headers['set-cookie'] as unknown as string[]);
  return `${APP}${(response.body as { location: string }).location}`;
}

/** Asks, in a browser, for the address at which a step-up at a provider begins. */
export const beginStepUp = (
  world: { app: TestApp; browser: TestBrowser; token: string },
  provider: string,
): Promise<string> => beginLinking(world, { provider }, '/api/auth/identities/step-up');

/** Proves the account of a token once more at its provider, and returns where the browser ended. */
export async function stepUpBy(app: TestApp, token: string, provider: string): Promise<string> {
  const browser = freshBrowser(app);
  return landing(await browser.follow(await beginStepUp({ app, browser, token }, provider), DASH));
}
