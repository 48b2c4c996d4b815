import { assertCleanAddress, press, see, seeHeading, signIn, signInByProvider } from './support/pages.mjs';

/** The account page. */
export const accountScenarios = {
  'account: a session is ended from another one, and all others at once': async (world) => {
    const person = await world.person(world.main);
    const [one, two, three] = [await world.visitor(), await world.visitor(), await world.visitor()];
    for (const { page } of [one, two, three]) await signIn(page, world.main, person);
    const { page } = three;
    await page.reload();
    await signIn(page, world.main, person);
    await page
      .getByRole('button', { name: /^Sign out Chrome on / })
      .first()
      .click();
    await see(page, 'Signed out there.');
    await press(page, 'Sign out all other sessions');
    await page
      .getByRole('button', { name: /^Sign out Chrome on / })
      .first()
      .waitFor({ state: 'detached' });
    await see(page, 'This session');
    for (const other of [one, two]) {
      await press(other.page, 'Change e-mail address');
      await other.page.getByLabel('New e-mail address').fill('other@example.com');
      await other.page.getByLabel('Current password', { exact: true }).fill(person.password);
      await press(other.page, 'Change');
      await seeHeading(other.page, 'Sign in');
    }
  },

  'account: a provider is linked, signs in, and is removed again': async (world) => {
    const person = await world.person(world.main);
    world.provider.meet();
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await press(page, 'Link Acme');
    await page.getByLabel('Current password', { exact: true }).fill('a wrong password');
    await press(page, 'Link Acme');
    await see(page, 'This is not your current password.');
    await page.getByLabel('Current password', { exact: true }).fill(person.password);
    await press(page, 'Link Acme');
    await press(page, 'Continue as Ada');
    await see(page, 'The provider is linked to your account now.');
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await seeHeading(page, 'Your account');
    assertCleanAddress(page, '/dash/account');
    await see(page, `Signed in as ${person.username}.`);
    await press(page, 'Remove Acme');
    await see(page, 'The link is removed.');
    await page.getByRole('button', { name: 'Link Acme' }).waitFor();
  },

  'account: an account of the provider that is linked elsewhere is refused in words': async (world) => {
    const person = await world.person(world.main);
    world.provider.meet();
    const owner = await world.visitor();
    await signInByProvider(owner.page, world.main);
    await seeHeading(owner.page, 'Your account');
    const { page } = await world.visitor();
    await signIn(page, world.main, person);
    await press(page, 'Link Acme');
    await page.getByLabel('Current password', { exact: true }).fill(person.password);
    await press(page, 'Link Acme');
    await press(page, 'Continue as Ada');
    await see(page, 'This account of the provider is already linked to another account here.');
    assertCleanAddress(page, '/dash/login');
  },

  'account: the only way in cannot be removed': async (world) => {
    world.provider.meet();
    const { page } = await world.visitor();
    await signInByProvider(page, world.main);
    await press(page, 'Remove Acme');
    await see(page, 'This is your only way to sign in, so it cannot be removed.');
  },
};
