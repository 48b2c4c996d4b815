import { TestApp, type TestAppOptions } from './test-app.js';
import { type Page, TestBrowser } from './test-browser.js';

export const APP = 'http://lintel.test';
const DASH = /\/dash\//;

/** Returns a value of `AUTH` that enables all given providers. */
export function providersVariable(providers: Readonly<Record<string, object>>): string {
  return JSON.stringify({ enabled_providers: Object.keys(providers), providers });
}

export function startSocialApp(
  providers: Readonly<Record<string, object>>,
  options: TestAppOptions = {},
): Promise<TestApp> {
  return TestApp.start({ ...options, env: { AUTH: providersVariable(providers), ...options.env } });
}

export function freshBrowser(app: TestApp): TestBrowser {
  return new TestBrowser({ [APP]: app.url });
}

export async function signInBy(app: TestApp, provider: string, browser = freshBrowser(app)): Promise<string> {
  return landing(await browser.follow(`${APP}/api/auth/${provider}/login`, DASH));
}

export function landing({ location }: Page): string {
  return location?.replace(APP, '') ?? '';
}

/** Signs in at a provider and returns the callback URL, without opening it. */
export async function comeBack(browser: TestBrowser, provider: string, query = ''): Promise<string> {
  const page = await browser.follow(`${APP}/api/auth/${provider}/login${query}`, /\/callback\?/);
  return page.location ?? '';
}

export async function exchange(app: TestApp, landed: string): Promise<string> {
  const code = /^\/dash\/login(?:\?lang=\w+)?#code=([\w-]{43})$/.exec(landed)?.[1];
  const { body } = await app.asGuest().post('/api/auth/exchange', { code }).expect(200);
  return (body as { token: string }).token;
}

export async function meBy(app: TestApp, provider: string): Promise<Record<string, unknown>> {
  const token = await exchange(app, await signInBy(app, provider));
  return (await app.as(token).get('/api/auth/me').expect(200)).body as Record<string, unknown>;
}

/** Returns the URL that starts linking a provider, or a step-up, for the account of a token. */
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

export const beginStepUp = (
  world: { app: TestApp; browser: TestBrowser; token: string },
  provider: string,
): Promise<string> => beginLinking(world, { provider }, '/api/auth/identities/step-up');

export async function stepUpBy(app: TestApp, token: string, provider: string): Promise<string> {
  const browser = freshBrowser(app);
  return landing(await browser.follow(await beginStepUp({ app, browser, token }, provider), DASH));
}
