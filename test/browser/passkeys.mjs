import assert from 'node:assert/strict';
import { initiate, listen } from './native.mjs';
import { demandFactors } from './second-factors.mjs';
import {
  asksForProof,
  fillPassword,
  focused,
  press,
  provePassword,
  see,
  seeHeading,
  signIn,
} from './support/pages.mjs';

const section = (page) => page.getByRole('region', { name: 'Second factor' });
const AUTHENTICATOR = {
  protocol: 'ctap2',
  ctap2Version: 'ctap2_1',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
};

export const passkeyScenarios = {
  'passkey: is added, named and listed, signs in without a password, and is removed': async (world) => {
    const { page, key } = await withPasskey(world);
    await world.picture('passkey-account');
    const [row] = await section(page).getByRole('listitem').allInnerTexts();
    assert.match(row, /^Key ring\non this device only · added /);
    await leave(page);
    await world.picture('passkey-login');
    await press(page, 'Sign in with a passkey');
    await seeHeading(page, 'Your account');
    await press(page, 'Remove Key ring');
    await press(page, 'Remove');
    await see(page, 'You have no second factor.');
    await leave(page);
    await press(page, 'Sign in with a passkey');
    await see(page, 'The passkey is not registered, or its signature is not valid.');
    await key.drop();
  },

  'passkey: the autofill request of one tab does not block another': async (world) => {
    const { page } = await world.visitor();
    const optionsResponse = page.waitForResponse((answer) => answer.url().endsWith('/passkeys/options'));
    await page.goto(`${world.main.url}/dash/login`);
    assert.equal((await optionsResponse).status(), 200);
    const isFree = () => navigator.locks.request('session', { ifAvailable: true }, (lock) => lock !== null);
    assert.equal(await page.evaluate(isFree), true);
  },

  'passkey: is a second factor after a password': async (world) => {
    const { page, person } = await withPasskey(world);
    await leave(page);
    await fillIn(page, person);
    await seeHeading(page, 'One more step');
    await world.picture('passkey-factor');
    await press(page, 'Use your passkey');
    await seeHeading(page, 'Your account');
  },

  'passkey: refuses an invalid signature and a cloned key with an old counter': async (world) => {
    const { page, key, person } = await withPasskey(world);
    const refused = 'The passkey is not registered, or its signature is not valid.';
    await leave(page);
    await key.set('setResponseOverrideBits', { isBogusSignature: true });
    await press(page, 'Sign in with a passkey');
    await see(page, refused);
    await key.set('setResponseOverrideBits', { isBogusSignature: false });
    const before = await key.credential();
    await press(page, 'Sign in with a passkey');
    await seeHeading(page, 'Your account');
    await leave(page);
    await key.put({ ...before, signCount: 0 });
    const mails = world.mailbox.countTo(person.email);
    await press(page, 'Sign in with a passkey');
    await see(page, refused);
    assert.match((await world.mailbox.mailTo(person.email, mails + 1)).text, /copy/);
  },

  'passkey: the browser offers it by autofill and signs in with an empty form': async (world) => {
    const { page } = await withPasskey(world);
    // The virtual user is always present, so the browser responds immediately when the request continues.
    let asked;
    const promptRequest = new Promise((resolve) => (asked = resolve));
    await page.route('**/api/auth/passkeys/options', (route) => asked(route));
    await press(page, 'Sign out');
    await seeHeading(page, 'Sign in');
    const route = await promptRequest;
    assert.equal(await page.getByLabel('User name or e-mail').inputValue(), '');
    assert.equal(await page.getByLabel('User name or e-mail').getAttribute('autocomplete'), 'username webauthn');
    await route.continue();
    await seeHeading(page, 'Your account');
  },

  'passkey: signs in to an app, and is a second factor there': async (world) => {
    const { page, key, person } = await withPasskey(world, listen);
    await leave(page);
    const signInTo = async () => {
      const login = await initiate(world, key.listener.redirectUri);
      await page.goto(new URL(login.authorize_url, world.main.url).href);
      await seeHeading(page, 'Sign in to an app');
    };
    await signInTo();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await world.picture('passkey-app');
    await press(page, 'Sign in with a passkey');
    await see(page, 'Back in the app.');
    await signInTo();
    await fillPassword(page, person.email, person.password);
    await press(page, 'Sign in to the app');
    await seeHeading(page, 'One more step');
    assert.equal(await page.getByRole('textbox').count(), 0);
    assert.equal(await focused(page), 'Use your passkey');
    await key.set('setResponseOverrideBits', { isBogusSignature: true });
    await press(page, 'Use your passkey');
    await see(page, 'The second factor is wrong, has expired, or was already used. Try again.');
    await world.picture('passkey-app-factor');
    assert.equal(await page.getByRole('textbox').count(), 0);
    await key.set('setResponseOverrideBits', { isBogusSignature: false });
    await press(page, 'Use your passkey');
    await see(page, 'Back in the app.');
    assert.equal(key.listener.calls.length, 2);
    key.listener.close();
  },

  'passkey: without user verification it is a second factor after a password': async (world) => {
    const { page, key, person } = await withPasskey(world);
    await leave(page);
    const credential = await key.credential();
    await key.drop();
    const plain = await virtualKey(page, { hasUserVerification: false, isUserVerified: false });
    await plain.put(credential);
    await fillIn(page, person);
    await seeHeading(page, 'One more step');
    await press(page, 'Use your passkey');
    await seeHeading(page, 'Your account');
  },

  'passkey: a user without other factors is not asked for a code': async (world) => {
    const { page } = await withPasskey(world);
    await asksForProof(page, '**/api/auth/mfa/recovery-codes');
    await press(page, 'Create new recovery codes');
    await press(page, 'Create new codes');
    const dialog = page.getByRole('dialog', { name: 'Confirm your identity' });
    await dialog.getByRole('button', { name: 'Use your passkey' }).waitFor();
    assert.equal(await dialog.getByRole('textbox').count(), 0);
    await world.picture('passkey-proof');
    await press(page, 'Use a recovery code');
    await dialog.getByLabel('Recovery code').waitFor();
    await press(page, 'Use your passkey');
    await takeCodes(page, world);
  },

  'passkey: a required second factor is added during the sign-in, also of an app': async (world) => {
    const service = await world.start({ AUTH_ENABLE_REFRESH_TOKEN: 'true', AUTH_CLI_LOGIN_ENABLED: 'true' });
    const [one, two] = [await world.person(service), await world.person(service)];
    await demandFactors(service);
    const { page } = await world.visitor();
    await withoutField(page);
    await virtualKey(page);
    await page.goto(`${service.url}/dash/login`);
    await fillIn(page, one);
    await seeHeading(page, 'Add a second factor');
    await world.picture('enrolment-choice');
    await add(page);
    await seeHeading(page, 'Your account');
    await see(page, 'You have no recovery codes');
    const listener = await listen('127.0.0.1');
    const login = await initiate({ main: service, secrets: world.secrets }, listener.redirectUri);
    const visitor = await world.visitor({ origins: [listener.origin] });
    await withoutField(visitor.page);
    await virtualKey(visitor.page);
    await visitor.page.goto(new URL(login.authorize_url, service.url).href);
    await fillPassword(visitor.page, two.email, two.password);
    await press(visitor.page, 'Sign in to the app');
    await seeHeading(visitor.page, 'Add a second factor');
    await add(visitor.page);
    await see(visitor.page, 'From now on, you can sign in with this passkey.');
    await press(visitor.page, 'Sign in to the app');
    await see(visitor.page, 'Back in the app.');
    listener.close();
  },
};

async function withPasskey(world, listens = null) {
  const person = await world.person(world.main);
  const listener = await listens?.('127.0.0.1');
  const { page } = await world.visitor(listener && { origins: [listener.origin] });
  const key = { listener, ...(await virtualKey(page)) };
  await signIn(page, world.main, person);
  await add(page);
  await provePassword(page, person.password);
  await see(page, 'From now on, you can sign in with this passkey.');
  await takeCodes(page, world);
  return { page, person, key };
}

async function add(page) {
  await press(page, 'Add a passkey');
  await page.getByLabel('Name', { exact: true }).fill('Key ring');
  await press(page, 'Continue');
}

async function takeCodes(page, world) {
  const list = page.getByRole('list', { name: 'Recovery codes' });
  await list.waitFor();
  for (const code of await list.getByRole('listitem').allInnerTexts()) world.secrets.add(code);
  await press(page, 'I have saved the codes');
}

async function virtualKey(page, options = {}) {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...AUTHENTICATOR, ...options },
  });
  const send = (method, fields = {}) => client.send(`WebAuthn.${method}`, { authenticatorId, ...fields });
  return {
    set: send,
    drop: () => send('removeVirtualAuthenticator'),
    credential: async () => (await send('getCredentials')).credentials[0],
    put: async (credential) => {
      await send('clearCredentials');
      await send('addCredential', { credential });
    },
  };
}

async function withoutField(page) {
  await page.addInitScript(() => {
    if (globalThis.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
}

/**
 * Disables passkey autofill. The virtual user is always present, so the browser would otherwise answer the autofill request automatically.
 */
async function leave(page) {
  await withoutField(page);
  await page.evaluate(() => {
    if (globalThis.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
  await press(page, 'Sign out');
  await seeHeading(page, 'Sign in');
}

async function fillIn(page, person) {
  await page.getByLabel('User name or e-mail').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.keyboard.press('Enter');
}
