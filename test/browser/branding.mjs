import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAppearance } from './support/appearance-checks.mjs';
import { press, see, seeHeading } from './support/pages.mjs';

const LOGO = fileURLToPath(new URL('../../dash/src/app/icon.svg', import.meta.url));

export const brandingScenarios = {
  'branding: shows accent, logo and links; pages stay readable and load nothing from other origins': async (world) => {
    const service = await world.start({
      APP_LOGO: LOGO,
      APP_ACCENT: '#ffd400',
      APP_TERMS_URL: 'https://acme.example/terms',
      APP_PRIVACY_URL: 'https://acme.example/privacy',
    });
    const { page } = await world.visitor({ reducedMotion: 'reduce' });
    await page.goto(`${service.url}/dash/login`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'branded-login')), []);
    assert.equal(await page.locator('header img').evaluate((logo) => logo.complete && logo.naturalWidth > 0), true);
    for (const [name, address] of [
      ['Terms', 'https://acme.example/terms'],
      ['Privacy', 'https://acme.example/privacy'],
    ])
      assert.equal(await page.getByRole('link', { name, exact: true }).getAttribute('href'), address);
    const color = (name) =>
      page.getByRole('button', { name, exact: true }).evaluate((one) => getComputedStyle(one).backgroundColor);
    assert.notEqual(await color('Sign in'), 'rgb(28, 91, 106)');
    assert.ok(service.lines.some((line) => line.includes('APP_ACCENT #ffd400 has too little contrast')));
  },

  'branding: an account can be created with a provider': async (world) => {
    world.provider.meet();
    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash/register`);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await press(page, 'Continue as Ada');
    await seeHeading(page, 'Your account');
    await see(page, 'Signs in with');
  },
};
