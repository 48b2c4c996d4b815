import assert from 'node:assert/strict';
import { press, see, seeHeading, signIn } from './support/pages.mjs';

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

/** Passkeys on the pages, with an authenticator of the browser's own. */
export const passkeyScenarios = {
  'passkey: it is added, named and listed, signs in by itself, and is removed': async (world) => {
    const { page, key } = await withPasskey(world);
    await world.picture('passkey-account');
    const [row] = await section(page).getByRole('listitem').allInnerTexts();
    assert.match(row, /^Key ring\non this device only · added /);
    await leave(page);
    await world.picture('passkey-login');
    await press(page, 'Sign in with a passkey');
    await seeHeading(page, 'Your account');
    await press(page, 'Remove Key ring');
    await press(page, 'Remove it');
    await see(page, 'You have no second factor.');
    await leave(page);
    await press(page, 'Sign in with a passkey');
    await see(page, 'This passkey is not known here, or did not answer as it should.');
    await key.drop();
  },

  'passkey: it is the second factor after a password': async (world) => {
    const { page, person } = await withPasskey(world);
    await leave(page);
    await fillIn(page, person);
    await seeHeading(page, 'One more step');
    await world.picture('passkey-factor');
    await press(page, 'Use your passkey');
    await seeHeading(page, 'Your account');
  },

  'passkey: a bogus signature, and a copy whose counter is behind, are refused': async (world) => {
    const { page, key, person } = await withPasskey(world);
    const refused = 'This passkey is not known here, or did not answer as it should.';
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
};

async function withPasskey(world) {
  const person = await world.person(world.main);
  const { page } = await world.visitor();
  const key = await virtualKey(page);
  await signIn(page, world.main, person);
  await press(page, 'Add a passkey');
  await page.getByLabel('Name', { exact: true }).fill('Key ring');
  await press(page, 'Continue');
  await see(page, 'From now on you sign in with this passkey.');
  const list = page.getByRole('list', { name: 'Recovery codes' });
  await list.waitFor();
  for (const code of await list.getByRole('listitem').allInnerTexts()) world.secrets.add(code);
  await press(page, 'I have kept them');
  return { page, person, key };
}

async function virtualKey(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: AUTHENTICATOR,
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

/** The browser answers a question in the field of the name by itself, since somebody is always there: it is not asked. */
async function leave(page) {
  await page.addInitScript(() => {
    if (globalThis.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
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
