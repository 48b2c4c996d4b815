import assert from 'node:assert/strict';
import { fillAccount, fillNewPassword, press, see, seeHeading, signIn, signInByProvider } from './support/pages.mjs';

const NEW_PASSWORD = 'quiet harbour 92';

export const modeScenarios = {
  'codes: activates and recovers with typed codes': async (world) => {
    const service = await serviceWithCodes(world);
    const person = world.newPerson();
    const { page } = await world.visitor();
    await page.goto(`${service.url}/dash/register`);
    await fillAccount(page, person);
    await press(page, 'Create account');
    await seeHeading(page, 'Enter the code');
    const [first] = (await world.mailbox.mailTo(person.email)).codes;
    await page.getByLabel('Code from the e-mail').fill(first === '000000' ? '111111' : '000000');
    await press(page, 'Activate account');
    await see(page, 'The code is wrong or has expired.');
    await page.getByLabel('Code from the e-mail').fill(first);
    await press(page, 'Activate account');
    // After the registration the user is signed in.
    await seeHeading(page, 'Your account');
    await press(page, 'Sign out');
    await see(page, 'You are signed out.');

    await page.goto(`${service.url}/dash/recover`);
    await page.getByLabel('E-mail', { exact: true }).fill(person.email);
    await press(page, 'Send e-mail');
    const [second] = (await world.mailbox.mailTo(person.email, 2)).codes;
    await page.getByLabel('Code from the e-mail').fill(second);
    await press(page, 'Continue');
    await fillNewPassword(page, NEW_PASSWORD);
    await press(page, 'Save new password');
    await seeHeading(page, 'Your password has been changed');
    await signIn(page, service, { ...person, password: NEW_PASSWORD });
  },

  'codes: the session is renewed when the access token expires': async (world) => {
    const service = await serviceWithCodes(world);
    const { page } = await world.visitor();
    await signIn(page, service, await world.person(service));
    for (let times = 0; times < 2; times += 1)
      await page.waitForResponse((response) => response.url().endsWith('/api/auth/token/resume'));
    await press(page, 'Sign out');
    await see(page, 'You are signed out.');
  },

  'federated only: the provider is the only sign-in method; no page links to a password': async (world) => {
    const provider = await world.anotherProvider();
    const place = await world.place();
    await provider.serve([`${place.url}/api/auth/acme/callback`]);
    const { email } = provider.meet();
    const AUTH = JSON.stringify({ enabled_providers: ['acme'], providers: { acme: provider.settings } });
    const service = await world.start({ AUTH, AUTH_DISABLE_LOCAL_LOGIN: 'true', AUTH_ADMIN_EMAILS: email }, place);
    assert.equal(service.setupAddress, undefined);
    const { page } = await world.visitor();
    await page.goto(`${service.url}/dash/login`);
    await page.getByRole('link', { name: 'Continue with Acme' }).waitFor();
    assert.equal(await page.getByRole('textbox').count(), 0);
    assert.equal(await page.getByRole('link', { name: /password|account/i }).count(), 0);
    await signInByProvider(page, service);
    // An administrator starts at the records.
    await seeHeading(page, 'Records');
    await page.goto(`${service.url}/dash/account`);
    await seeHeading(page, 'Your account');
    await see(page, 'admin');
    for (const [path, status] of [
      ['activate', 404],
      ['recover', 404],
      ['email/confirm', 200],
      ['email/cancel', 200],
    ]) {
      assert.equal((await fetch(`${service.url}/auth/local/${path}`)).status, status);
    }
    await page.goto(`${service.url}/auth/local/activate?token=x`);
    await seeHeading(page, 'Page not found');
    await page.goto(`${service.url}/dash/setup`);
    await seeHeading(page, 'Nothing to set up');
    // Registration is not available.
    const { page: guest } = await world.visitor();
    await guest.goto(`${service.url}/dash/register`);
    await fillAccount(guest, world.newPerson());
    await press(guest, 'Create account');
    await see(guest, 'Registration is disabled.');
  },
};

let codes;

/** Starts one service for all scenarios: mails contain codes, and access tokens expire after two seconds. */
function serviceWithCodes(world) {
  const local = { activation_method: 'email', verification_method: 'otp' };
  codes ??= world.start({
    AUTH: JSON.stringify({ providers: { local } }),
    AUTH_ENABLE_REFRESH_TOKEN: 'true',
    AUTH_ACCESS_TOKEN_LIFETIME: '2',
  });
  return codes;
}
