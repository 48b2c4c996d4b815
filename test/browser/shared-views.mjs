import { press, see, signIn } from './support/pages.mjs';
import { asking, editor, TAGGER } from './support/records-fixture.mjs';

export const sharedViewScenarios = {
  'shared views: members of the role see the view and cannot delete it': async (world) => {
    const { page, service } = await editor(world);
    const ask = await asking(service);
    const roles = encodeURIComponent('{"name":"tagger"}');
    const [{ id: tagger }] = (await ask('GET', `/api/content/role?filter=${roles}`)).items;
    const rule = {
      list: 'record.owner.id == auth.id || record.role.name in auth.roles',
      delete: 'record.owner.id == auth.id',
    };
    const permissions = [];
    for (const [action, value] of Object.entries(rule))
      permissions.push(
        await ask('POST', '/api/content/permission', {
          role: { id: tagger },
          resource: `content.view.${action}`,
          value,
        }),
      );
    await page.goto(`${service.url}/dash/records/tag?sort=-name`);
    await page.getByRole('button', { name: 'Views', exact: true, expanded: false }).click();
    await page.getByLabel('Name of the view').fill('backwards');
    await page.getByLabel('Visible to').selectOption({ label: 'tagger' });
    await press(page, 'Save this view');
    await see(page, 'with tagger');
    const { page: other } = await world.visitor();
    await signIn(other, service, TAGGER);
    await other.goto(`${service.url}/dash/records/tag`);
    await other.getByRole('button', { name: 'Views', exact: true, expanded: false }).click();
    await press(other, 'backwards');
    await other.waitForURL(/sort=-name/);
    await press(other, 'Delete the view backwards');
    await other.getByRole('alert').waitFor();
    for (const { id } of permissions) await ask('DELETE', `/api/content/permission/${id}`);
  },
};
