import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { press, see } from './support/pages.mjs';
import { asking, editor } from './support/records-fixture.mjs';
import { PASSWORD } from './support/world.mjs';

const formOf = (page, name) => page.getByRole('form', { name });
const roles = (page) => page.getByRole('list', { name: 'Roles', exact: true });

export const accessRoleScenarios = {
  'access: a role is created, gets permissions and members, is renamed, confirmed as root and deleted': async (
    world,
  ) => {
    const { page, service } = await editor(world);
    const ask = await asking(service);
    await page.goto(`${service.url}/dash/access`);
    for (const name of ['admin', 'user', 'guest'])
      assert.equal(await page.getByRole('button', { name: `Delete the role ${name}` }).count(), 0);
    await press(page, 'New role');
    const form = formOf(page, 'New role');
    await form.getByRole('button', { name: 'Save' }).click();
    await see(page, 'Fill in this field.');
    await form.getByLabel('Name', { exact: true }).fill('tagger');
    await form.getByRole('button', { name: 'Save' }).click();
    await see(page, 'Is in use already.');
    await form.getByLabel('Name', { exact: true }).fill('proofreader');
    assert.equal(await page.getByText('Is in use already.').count(), 0);
    await form.getByLabel('Description (optional)').fill('Reads before others do');
    assert.deepEqual(await form.getByLabel('Second factors').locator('option').allInnerTexts(), [
      'Not available',
      'Optional',
      'Required',
    ]);
    await form.getByLabel('Second factors').selectOption('off');
    await form.getByRole('button', { name: 'Save' }).click();
    await see(page, /^The role proofreader was created/);
    await roles(page).getByText('Reads before others do').waitFor();

    // A permission, and accounts with the role.
    await page.getByRole('link', { name: /^proofreader, post: / }).click();
    await page.getByLabel('List', { exact: true }).selectOption('allow');
    await press(page, 'Save');
    await see(page, 'Saved.');
    const { id } = await ask('POST', '/api/content/user', {
      email: 'proof@example.com',
      password: PASSWORD,
      activated: true,
    });
    await page.goto(`${service.url}/dash/people/${id}`);
    const roleSection = page.getByRole('region', { name: 'Roles' });
    await roleSection.getByLabel('proofreader', { exact: true }).check();
    assert.equal(await roleSection.getByLabel('guest', { exact: true }).count(), 0);
    await press(page, 'Save roles');
    await see(page, 'The roles were saved.');
    await page.goto(`${service.url}/dash/service-accounts`);
    await press(page, 'Create a service account');
    const program = formOf(page, 'Create a service account');
    await program.getByLabel('Name', { exact: true }).fill('spell checker');
    assert.equal(await program.getByLabel('guest', { exact: true }).count(), 0);
    await program.getByLabel('proofreader', { exact: true }).check();
    await program.getByLabel('user', { exact: true }).uncheck();
    await program.getByRole('button', { name: 'Create a service account' }).click();
    await see(page, 'roles: proofreader');

    // Changing `root` needs a confirmation: here and in the record form.
    await page.goto(`${service.url}/dash/access`);
    await press(page, 'Change the role proofreader');
    const change = formOf(page, 'Change the role proofreader');
    await change.getByLabel('Name', { exact: true }).fill('corrector');
    await change.getByLabel('Has all permissions').check();
    await change.getByRole('button', { name: 'Save' }).click();
    await change.getByText(/^Users with this role can read, change and delete everything/).waitFor();
    assert.deepEqual(await checkAppearance(page, join(world.artifacts, 'access-roles')), []);
    await page.setViewportSize(SIZES.wide);
    const [before] = await rolesOf(ask, 'proofreader');
    assert.equal(before.root, false);
    await change.getByRole('button', { name: 'Cancel' }).click();
    await change.getByLabel('Has all permissions').uncheck();
    await change.getByRole('button', { name: 'Save' }).click();
    await see(page, 'The role corrector was saved.');
    await page.goto(`${service.url}/dash/records/role/${before.id}`);
    await page.getByLabel('Root', { exact: true }).selectOption('true');
    assert.equal(await page.getByLabel('Second factors').inputValue(), 'off');
    await press(page, 'Save');
    await see(page, /^Users with this role can read, change and delete everything/);
    await press(page, 'Cancel');
    assert.equal((await rolesOf(ask, 'corrector'))[0].root, false);
    await press(page, 'Save');
    await press(page, 'Save the role');
    await see(page, 'Saved.');
    assert.equal((await rolesOf(ask, 'corrector'))[0].root, true);
    await ask('PATCH', `/api/content/role/${before.id}`, { root: false });

    // A concurrent change by another user is not overwritten.
    await page.goto(`${service.url}/dash/access`);
    await press(page, 'Change the role corrector');
    await ask('PATCH', `/api/content/role/${before.id}`, { description: 'Somebody else' });
    const late = formOf(page, 'Change the role corrector');
    await late.getByLabel('Description (optional)').fill('Late');
    await late.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'Not saved' }).waitFor();
    assert.equal(await late.getByLabel('Description (optional)').inputValue(), 'Late');
    await late.getByRole('button', { name: 'Cancel' }).click();

    await press(page, 'Delete the role corrector');
    await press(page, 'Delete');
    await see(page, 'The role corrector was deleted.');
    assert.deepEqual(await rolesOf(ask, 'corrector'), []);
    await ask('DELETE', `/api/content/user/${id}`);
  },
};

async function rolesOf(ask, name) {
  const filter = encodeURIComponent(JSON.stringify({ name }));
  return (await ask('GET', `/api/content/role?filter=${filter}&select=id,name,root`)).items;
}
