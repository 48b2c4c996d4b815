import { type Acme, startAcme } from './support/acme.js';
import { Browser } from './support/browser.js';
import { CLIENT, type Employee, StaffDirectory } from './support/staff-directory.js';

/** The public address of test applications. */
const APP = 'http://lintel.test';
const CLERK: Employee = {
  sub: 'e-4711',
  email: 'clerk@acme.example',
  email_verified: true,
  given_name: 'Carla',
  family_name: 'Clerk',
  department: 'sales',
};

let directory: StaffDirectory;
let acme: Acme;
beforeAll(async () => {
  directory = await StaffDirectory.start(`${APP}/api/auth/acme-id/callback`);
  const settings = { ...CLIENT, directory: directory.url };
  acme = await startAcme({
    env: { AUTH: JSON.stringify({ enabled_providers: ['acme-id'], providers: { 'acme-id': settings } }) },
  });
});
afterAll(async () => {
  await acme?.stop();
  await directory?.stop();
});

/** Signs in by Acme ID, and returns the parameters of the page. */
async function signIn(): Promise<URLSearchParams> {
  const browser = new Browser({ [APP]: acme.app.url });
  const page = await browser.follow(`${APP}/api/auth/acme-id/login`, ({ pathname }) => pathname === '/dash/login');
  return new URLSearchParams(page.hash.slice(1));
}

it('signs employees in with their directory identity', async () => {
  directory.atWork = CLERK;
  const code = (await signIn()).get('code');
  const { token } = (await (await acme.app.fetch('/api/auth/exchange', { json: { code } })).json()) as {
    token: string;
  };
  const me = await (await acme.app.fetch('/api/auth/me', { token })).json();
  expect(me).toMatchObject({
    email: 'clerk@acme.example',
    provider: 'acme-id',
    first_name: 'Carla',
    last_name: 'Clerk (sales)',
  });
});

it('rejects other people with an error of Acme', async () => {
  const { department: _none, ...visitor } = CLERK;
  directory.atWork = { ...visitor, sub: 'v-1', email: 'visitor@acme.example' };
  expect((await signIn()).get('error')).toBe('acme_not_staff');
});

it('receives a sign-in that the directory rejects', async () => {
  directory.atWork = null;
  expect((await signIn()).get('error')).toBe('provider_denied');
});
