import { type Acme, startAcme } from './support/acme.js';
import { Browser } from './support/browser.js';
import { FORUM_CLIENT, TradeForum } from './support/trade-forum.js';

/** The public address of test applications. */
const APP = 'http://lintel.test';
const TRADER = { member: 1_773, mail: 'trader@example.com', mail_confirmed: true, name: 'Tess' };

let forum: TradeForum;
let acme: Acme;
beforeAll(async () => {
  forum = await TradeForum.start(`${APP}/api/auth/trade-forum/callback`);
  const settings = { ...FORUM_CLIENT, forum: forum.url };
  acme = await startAcme({
    env: { AUTH: JSON.stringify({ enabled_providers: ['trade-forum'], providers: { 'trade-forum': settings } }) },
  });
});
afterAll(async () => {
  await acme?.stop();
  await forum?.stop();
});

/** Signs in by the forum, and returns the parameters of the page. */
async function signIn(): Promise<URLSearchParams> {
  const browser = new Browser({ [APP]: acme.app.url });
  const page = await browser.follow(`${APP}/api/auth/trade-forum/login`, ({ pathname }) => pathname === '/dash/login');
  return new URLSearchParams(page.hash.slice(1));
}

/** Exchanges a code, and returns the account. */
async function open(code: string | null): Promise<unknown> {
  const answer = await acme.app.fetch('/api/auth/exchange', { json: { code } });
  const { token } = (await answer.json()) as { token: string };
  return (await acme.app.fetch('/api/auth/me', { token })).json();
}

it('signs members in by OAuth 2 with their identity from the API', async () => {
  forum.present = TRADER;
  const me = await open((await signIn()).get('code'));
  expect(me).toMatchObject({ email: 'trader@example.com', provider: 'trade-forum', first_name: 'Tess' });
});

it('identifies a member by number, with any address', async () => {
  forum.present = TRADER;
  const first = (await open((await signIn()).get('code'))) as { id: string };
  forum.present = { ...TRADER, mail: 'tess@example.com' };
  expect(await open((await signIn()).get('code'))).toMatchObject({ id: first.id });
});

it('receives a sign-in that the forum rejects', async () => {
  forum.present = null;
  expect((await signIn()).get('error')).toBe('provider_denied');
});
