import assert from 'node:assert/strict';
import { checkAppearances } from './support/appearance-checks.mjs';
import { press, see, signIn } from './support/pages.mjs';
import { asking, editor, recordsService, TAGGER } from './support/records-fixture.mjs';

const cellOf = (page, role, schema) => page.getByRole('link', { name: new RegExp(`^${role}, ${schema}: `) });
const choiceOf = (page, action) => page.getByLabel(action, { exact: true });
const ruleOf = (page, resource) => page.getByRole('textbox', { name: `Rule of ${resource}` });
const changes = (page) => page.getByRole('region', { name: /^Unsaved changes/ });

async function roleOf(service, name, permission) {
  const ask = await asking(service);
  const { id } = await ask('POST', '/api/content/role', { name });
  if (permission) await ask('POST', '/api/content/permission', { role: { id }, ...permission });
  return { ask, id };
}

async function permissionsOf(ask, id) {
  const filter = encodeURIComponent(JSON.stringify({ 'role.id': id }));
  const { items } = await ask(
    'GET',
    `/api/content/permission?filter=${filter}&select=resource,value,fields&sort=resource`,
  );
  return items.map(({ resource, value, fields }) => [resource, value, fields]);
}

async function open(page, service, role, schema) {
  await page.goto(`${service.url}/dash/access`);
  await cellOf(page, role, schema).click();
}

async function write(page, resource, text) {
  await ruleOf(page, resource).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

export const accessScenarios = {
  'access: the rule editor shows errors of the service, a preview, and saves a rule that applies': async (world) => {
    const { page, service } = await editor(world);
    const { ask, id } = await roleOf(service, 'critic', { resource: 'content.post.get', value: 'allow' });
    await page.goto(`${service.url}/dash/access`);
    await cellOf(page, 'tagger', 'tag')
      .and(page.getByRole('link', { name: 'tagger, tag: List yes' }))
      .waitFor();
    await cellOf(page, 'critic', 'post').click();
    await page.getByRole('heading', { name: 'Permissions of critic for post' }).waitFor();

    await choiceOf(page, 'List').selectOption('rule');
    await write(page, 'content.post.list', "record.statos == 'published'");
    await see(page, /statos/);
    await page.getByText('The changes are not valid.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true);
    await write(page, 'content.post.list', 'record.author.');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: 'email' }).waitFor();
    await page.keyboard.press('Escape');
    await write(page, 'content.post.list', "record.status == 'published'");
    await choiceOf(page, 'Read').selectOption('none');
    await choiceOf(page, 'Create').selectOption('allow');
    const row = page.getByRole('listitem').filter({ has: choiceOf(page, 'Create') });
    await row
      .getByText(/^Writable fields/)
      .first()
      .click();
    const fields = row.getByRole('group').filter({ hasText: 'Writable fields' }).first();
    await fields.getByLabel('Only some fields').check();
    await fields.getByLabel('views', { exact: true }).uncheck();

    await changes(page).getByText("record.status == 'published'").waitFor();
    assert.match(await changes(page).innerText(), /3 changes/);
    await press(page, 'Save');
    await see(page, 'Saved.');
    const saved = await permissionsOf(ask, id);
    assert.deepEqual(
      saved.map(([resource, value]) => [resource, value]),
      [
        ['content.post.create', 'allow'],
        ['content.post.list', "record.status == 'published'"],
      ],
    );
    assert.ok(saved[0][2].write.includes('title') && !saved[0][2].write.includes('views'));
    await page.reload();
    await page.getByRole('link', { name: 'critic, post: List by rule, Create yes' }).waitFor();
  },

  'access: a conflicting change is shown before it is overwritten': async (world) => {
    const { page, service } = await editor(world);
    const resource = 'content.tag.list';
    const { ask, id } = await roleOf(service, 'sorter', { resource, value: 'allow' });
    await open(page, service, 'sorter', 'tag');
    await choiceOf(page, 'List').selectOption('deny');
    const filter = encodeURIComponent(JSON.stringify({ 'role.id': id }));
    const [{ id: permission }] = (await ask('GET', `/api/content/permission?filter=${filter}`)).items;
    await ask('PATCH', `/api/content/permission/${permission}`, { value: "record.name == 'x'" });
    await press(page, 'Save');
    await see(page, /^Another user has changed one of these permissions/);
    await changes(page).getByText("record.name == 'x'").waitFor();
    assert.deepEqual(await permissionsOf(ask, id), [[resource, "record.name == 'x'", null]]);
    await press(page, 'Save');
    await see(page, 'Saved.');
    assert.deepEqual(await permissionsOf(ask, id), [[resource, 'deny', null]]);

    await choiceOf(page, 'List').selectOption('allow');
    await ask('PATCH', `/api/content/permission/${permission}`, { resource: 'content.tag.delete' });
    await press(page, 'Save');
    await see(page, /^Another user has changed one of these permissions/);
    assert.deepEqual(await permissionsOf(ask, id), [['content.tag.delete', 'deny', null]]);

    await page.reload();
    await choiceOf(page, 'Delete').selectOption('allow');
    await ask('DELETE', `/api/content/permission/${permission}`);
    await press(page, 'Save');
    await see(page, /^Another user has changed one of these permissions/);
    await press(page, 'Save');
    await see(page, 'Saved.');
    assert.deepEqual(await permissionsOf(ask, id), [['content.tag.delete', 'allow', null]]);
  },

  'access: a role inherits from another; permissions outside the matrix are editable': async (world) => {
    const { page, service } = await editor(world);
    const { ask, id } = await roleOf(service, 'heir');
    await open(page, service, 'heir', 'tag');
    await page.getByText('Copy permissions').click();
    await page.getByRole('group').filter({ hasText: 'Copy permissions' }).getByLabel('Role').selectOption('tagger');
    await press(page, 'Copy to draft');
    await page.getByRole('link', { name: 'heir, tag: List yes' }).waitFor();
    await cellOf(page, 'heir', 'Other resources').click();
    await page.getByLabel('Resource', { exact: true }).fill('not a name');
    await press(page, 'Add');
    await see(page, /must be a dotted name/);
    await choiceOf(page, 'not a name').selectOption('none');
    await page.getByLabel('Resource', { exact: true }).fill('schema.*');
    await press(page, 'Add');
    await press(page, 'Save');
    await see(page, 'Saved.');
    assert.deepEqual(await permissionsOf(ask, id), [
      ['content.tag.list', 'allow', null],
      ['schema.*', 'allow', null],
    ]);
    await choiceOf(page, 'schema.*').selectOption('none');
    await press(page, 'Discard');
    assert.equal(await changes(page).count(), 0);
  },

  'access: explains for each permission and rule part why a user cannot access a record': async (world) => {
    const { page, service } = await editor(world);
    const value = "record.status == 'published' && record.title == 'nothing like this'";
    const { ask } = await roleOf(service, 'waiter', { resource: 'content.post.get', value });
    const filter = encodeURIComponent(JSON.stringify({ status: 'published' }));
    const [{ id }] = (await ask('GET', `/api/content/post?filter=${filter}&limit=1&select=id`)).items;
    await page.goto(`${service.url}/dash/records/post/${id}`);
    await page.getByRole('link', { name: 'Explain access' }).click();
    assert.equal(await page.getByLabel('Record key').inputValue(), id);
    await page.getByLabel('Role or user', { exact: true }).selectOption('role:waiter');
    await press(page, 'Explain');
    await see(page, 'Denied.');
    const relevant = page.getByRole('list', { name: 'Relevant permissions' });
    const partOf = (text) => relevant.getByRole('listitem').filter({ hasText: text }).last();
    await partOf("record.status == 'published'").getByRole('img', { name: 'true', exact: true }).first().waitFor();
    await partOf('nothing like this').getByRole('img', { name: 'false' }).first().waitFor();
    await page.getByLabel('Role or user', { exact: true }).selectOption('guest');
    assert.equal(await relevant.count(), 0);
    await press(page, 'Explain');
    await see(page, 'Allowed.');
    await page.getByLabel('Role or user', { exact: true }).selectOption('person');
    await page.getByLabel('E-mail address of the user').fill('nobody.at.all@example.com');
    await press(page, 'Explain');
    await see(page, 'No account that you can access has this address.');
    await page.getByLabel('E-mail address of the user').fill(TAGGER.email);
    await press(page, 'Explain');
    await see(page, 'Denied.');
    await see(page, 'Roles: tagger');
  },

  'access: viewing as another user is read-only': async (world) => {
    const { page, service } = await editor(world);
    const { ask } = await roleOf(service, 'labeller', { resource: 'content.tag.*', value: 'allow' });
    const parts = page.getByRole('navigation', { name: 'Sections' });
    await page.goto(`${service.url}/dash/access`);
    await page.getByLabel('Role or user', { exact: true }).selectOption('person');
    await page.getByLabel('E-mail address of the user').fill(TAGGER.email);
    await press(page, 'View as this user');
    await see(page, `Viewing as ${TAGGER.email}. This view is read-only.`);
    await page.getByRole('main').getByRole('link', { name: 'Tag', exact: true }).waitFor();
    assert.equal(await page.getByRole('main').getByRole('link', { name: 'Post', exact: true }).count(), 0);
    await parts.getByRole('link', { name: 'Access' }).waitFor({ state: 'detached' });
    await press(page, 'Stop viewing as');
    await page.getByRole('main').getByRole('link', { name: 'Post', exact: true }).waitFor();

    await parts.getByRole('link', { name: 'Access' }).click();
    await page.getByLabel('Role or user', { exact: true }).selectOption('role:labeller');
    await press(page, 'View as this user');
    await page.getByRole('main').getByRole('link', { name: 'Tag', exact: true }).click();
    await page
      .getByRole('link', { name: 'New record' })
      .or(page.getByRole('button', { name: 'New record' }))
      .click();
    await page.getByLabel('Name', { exact: false }).first().fill('never saved');
    await page
      .getByRole('button', { name: /^(Create|Save)/ })
      .first()
      .click();
    await page.getByRole('alert').waitFor();
    const filter = encodeURIComponent(JSON.stringify({ name: 'never saved' }));
    assert.deepEqual((await ask('GET', `/api/content/tag?filter=${filter}`)).items, []);
    await page.reload();
    await parts.getByRole('link', { name: 'Access' }).waitFor();
    assert.equal(await page.getByText('Viewing as').count(), 0);
  },

  'access: users without the permission get no link to the roles': async (world) => {
    const service = await recordsService(world);
    const { page } = await world.visitor();
    await signIn(page, service, TAGGER);
    await page.goto(`${service.url}/dash/access`);
    await see(page, 'You do not have access to roles and permissions.');
    assert.equal(
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Access' }).count(),
      0,
    );
  },

  'access: every state is screenshotted, passes axe and fits a small screen': async (world) => {
    const { page, service } = await editor(world);
    await roleOf(service, 'looked-at', { resource: 'content.post.*', value: "record.status == 'published'" });
    const at = (role, schema) => () => open(page, service, role, schema);
    const views = {
      'access-matrix': async () => {
        await page.goto(`${service.url}/dash/access`);
        await cellOf(page, 'tagger', 'post').waitFor();
      },
      'access-panel': async () => {
        await at('looked-at', 'post')();
        await choiceOf(page, 'Update').selectOption('rule');
        await write(page, 'content.post.update', 'record.nobody == auth.id');
        await see(page, /nobody/);
        await page.getByText('The changes are not valid.').waitFor();
      },
      'access-others': at('looked-at', 'Other resources'),
      'access-why': async () => {
        await page.goto(`${service.url}/dash/access`);
        await page.getByLabel('Role or user', { exact: true }).selectOption('role:user');
        await page.getByLabel('Action').selectOption('update');
        await page
          .getByRole('region', { name: /^Explain access/ })
          .getByLabel('Schema')
          .selectOption('post');
        await press(page, 'Explain');
        await see(page, 'Allowed for the records that match a rule.');
      },
      'access-seen': async () => {
        await page.getByLabel('Role or user', { exact: true }).selectOption('role:user');
        await press(page, 'View as this user');
        await page.getByRole('main').getByRole('link', { name: 'Post', exact: true }).waitFor();
      },
    };
    assert.deepEqual(await checkAppearances(page, world, views), []);
  },
};
