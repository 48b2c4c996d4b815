import assert from 'node:assert/strict';
import { fillPassword, see, seeHeading } from './support/pages.mjs';
import { freeAddress } from './support/service.mjs';

/** Timeout of provider requests in these tests, in seconds (default: 8). */
const TIMEOUT_SECONDS = 2;
const AWAY = 'The provider does not respond.';
const UNTRUSTED = 'The response of the provider is not valid.';

export const providerOutageScenarios = {
  'provider outage: a provider that is down, slow or invalid is reported; other routes stay fast': async (world) => {
    const service = await serviceWithFailingProvider(world);
    const person = await world.person(service);
    const { page } = await world.visitor();
    for (const [name, sentence] of [
      ['Off', AWAY],
      ['Slow', AWAY],
      ['Garbled', new RegExp(`${UNTRUSTED}|${AWAY}`)],
    ]) {
      await page.goto(`${service.url}/dash/login`);
      await page.getByRole('link', { name: `Continue with ${name}` }).click();
      await assertFast(service);
      await see(page, sentence);
      assert.equal(new URL(page.url()).hash, '');
    }
    await fillPassword(page, person.email, person.password);
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Your account');
  },

  'provider outage: a provider that fails during the sign-in is reported': async (world) => {
    const { provider, main } = world;
    provider.meet();
    for (const mode of ['garbage', 'off']) {
      const { page } = await world.visitor();
      await page.goto(`${main.url}/dash/login`);
      await page.getByRole('link', { name: 'Continue with Acme' }).click();
      await page.getByRole('button', { name: 'Continue as Ada' }).waitFor();
      // Its pages still respond; its token endpoint does not.
      provider.tokenMode = mode;
      await page.getByRole('button', { name: 'Continue as Ada' }).click();
      await see(page, mode === 'garbage' ? UNTRUSTED : AWAY);
      provider.tokenMode = 'right';
    }
  },

  'provider outage: an unreachable service is reported': async (world) => {
    const service = await serviceWithFailingProvider(world);
    const person = await world.person(service);
    const { page } = await world.visitor();
    // The last automatic request of the page, so that no request is open when the service stops.
    const lastResponse = page.waitForResponse(/passkeys\/options$/);
    await page.goto(`${service.url}/dash/login`);
    await (await lastResponse).finished();
    await fillPassword(page, person.email, person.password);
    await service.stop();
    await page.keyboard.press('Enter');
    await see(page, 'The service cannot be reached.');
  },
};

let trouble;

function serviceWithFailingProvider(world) {
  trouble ??= startInTrouble(world);
  return trouble;
}

async function startInTrouble(world) {
  const [slow, garbled] = [await providerThat(world, 'slow'), await providerThat(world, 'garbage')];
  const off = { ...garbled.settings, issuer: (await freeAddress()).replace('localhost', '127.0.0.1') };
  const providers = { off, slow: slow.settings, garbled: garbled.settings };
  for (const settings of Object.values(providers)) settings.timeout_seconds = TIMEOUT_SECONDS;
  return world.start({ AUTH: JSON.stringify({ enabled_providers: Object.keys(providers), providers }) });
}

async function providerThat(world, mode) {
  const provider = await world.anotherProvider();
  provider.mode = mode;
  return provider;
}

async function assertFast(service) {
  const begin = performance.now();
  assert.equal((await fetch(`${service.url}/api/auth/methods`)).status, 200);
  assert.ok(performance.now() - begin < TIMEOUT_SECONDS * 500, 'another route waited too');
}
