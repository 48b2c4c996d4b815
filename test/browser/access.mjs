import assert from 'node:assert/strict';
import { lookAtAll } from './support/look.mjs';
import { press, see, signIn } from './support/pages.mjs';
import { asking, editor, recordsService, TAGGER } from './support/records-world.mjs';

const cellOf = (page, role, schema) => page.getByRole('link', { name: new RegExp(`^${role}, ${schema}: `) });
const choiceOf = (page, action) => page.getByLabel(action, { exact: true });
const ruleOf = (page, resource) => page.getByRole('textbox', { name: `Rule of ${resource}` });
const changes = (page) => page.getByRole('region', { name: /^What would change/ });

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
  'access: a rule is written with the faults of the service, seen before it is saved, and holds': async (world) => {
    const { page, service } = await editor(world);
    const { ask, id } = await roleOf(service, 'critic', { resource: 'content.post.get', value: 'allow' });
    await page.goto(`${service.url}/dash/access`);
    await cellOf(page, 'tagger', 'tag')
      .and(page.getByRole('link', { name: 'tagger, tag: List yes' }))
      .waitFor();
    await cellOf(page, 'critic', 'post').click();
    await page.getByRole('heading', { name: 'What critic may do with post' }).waitFor();

    await choiceOf(page, 'List').selectOption('rule');
    await write(page, 'content.post.list', "record.statos == 'published'");
    await see(page, /statos/);
    await page.getByText('Something is wrong with what would be saved.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true);
    await write(page, 'content.post.list', 'record.author.');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: 'email' }).waitFor();
    await page.keyboard.press('Escape');
    await write(page, 'content.post.list', "record.status == 'published'");
    await choiceOf(page, 'Read one').selectOption('none');
    await choiceOf(page, 'Create').selectOption('allow');
    const row = page.getByRole('listitem').filter({ has: choiceOf(page, 'Create') });
    await row
      .getByText(/^Fields that may be written/)
      .first()
      .click();
    const fields = row.getByRole('group').filter({ hasText: 'Fields that may be written' }).first();
    await fields.getByLabel('Only some of them').check();
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
    await page.getByRole('link', { name: 'critic, post: List by a rule, Create yes' }).waitFor();
  },

  'access: what somebody else saved meanwhile is shown, and overwritten only knowingly': async (world) => {
    const { page, service } = await editor(world);
    const resource = 'content.tag.list';
    const { ask, id } = await roleOf(service, 'sorter', { resource, value: 'allow' });
    await open(page, service, 'sorter', 'tag');
    await choiceOf(page, 'List').selectOption('deny');
    const filter = encodeURIComponent(JSON.stringify({ 'role.id': id }));
    const [{ id: permission }] = (await ask('GET', `/api/content/permission?filter=${filter}`)).items;
    await ask('PATCH', `/api/content/permission/${permission}`, { value: "record.name == 'x'" });
    await press(page, 'Save');
    await see(page, /^Somebody else changed one of these permissions meanwhile/);
    await changes(page).getByText("record.name == 'x'").waitFor();
    assert.deepEqual(await permissionsOf(ask, id), [[resource, "record.name == 'x'", null]]);
    await press(page, 'Save');
    await see(page, 'Saved.');
    assert.deepEqual(await permissionsOf(ask, id), [[resource, 'deny', null]]);

    await choiceOf(page, 'List').selectOption('allow');
    await ask('PATCH', `/api/content/permission/${permission}`, { resource: 'content.tag.delete' });
    await press(page, 'Save');
    await see(page, /^Somebody else changed one of these permissions meanwhile/);
    assert.deepEqual(await permissionsOf(ask, id), [['content.tag.delete', 'deny', null]]);

    await page.reload();
    await choiceOf(page, 'Delete').selectOption('allow');
    await ask('DELETE', `/api/content/permission/${permission}`);
    await press(page, 'Save');
    await see(page, /^Somebody else changed one of these permissions meanwhile/);
    await press(page, 'Save');
    await see(page, 'Saved.');
    assert.deepEqual(await permissionsOf(ask, id), [['content.tag.delete', 'allow', null]]);
  },

  'access: a role takes over from another, and what has no place in the matrix is changed, too': async (world) => {
    const { page, service } = await editor(world);
    const { ask, id } = await roleOf(service, 'heir');
    await open(page, service, 'heir', 'tag');
    await page.getByText('Copy from elsewhere').click();
    await page.getByRole('group').filter({ hasText: 'Copy from elsewhere' }).getByLabel('Role').selectOption('tagger');
    await press(page, 'Copy into the draft');
    await page.getByRole('link', { name: 'heir, tag: List yes' }).waitFor();
    await cellOf(page, 'heir', 'Everything else').click();
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

  'access: why somebody may not is told of a record, permission by permission and part by part': async (world) => {
    const { page, service } = await editor(world);
    const value = "record.status == 'published' && record.title == 'nothing like this'";
    const { ask } = await roleOf(service, 'waiter', { resource: 'content.post.get', value });
    const filter = encodeURIComponent(JSON.stringify({ status: 'published' }));
    const [{ id }] = (await ask('GET', `/api/content/post?filter=${filter}&limit=1&select=id`)).items;
    await page.goto(`${service.url}/dash/records/post/${id}`);
    await page.getByRole('link', { name: 'Who may do what with it?' }).click();
    assert.equal(await page.getByLabel('Key of a record').inputValue(), id);
    await page.getByLabel('Who', { exact: true }).selectOption('role:waiter');
    await press(page, 'Ask why');
    await see(page, 'No, they may not.');
    const said = page.getByRole('list', { name: 'Permissions that speak of it' });
    const partOf = (text) => said.getByRole('listitem').filter({ hasText: text }).last();
    await partOf("record.status == 'published'").getByRole('img', { name: 'holds', exact: true }).first().waitFor();
    await partOf('nothing like this').getByRole('img', { name: 'does not hold' }).first().waitFor();
    await page.getByLabel('Who', { exact: true }).selectOption('guest');
    assert.equal(await said.count(), 0);
    await press(page, 'Ask why');
    await see(page, 'Yes, they may.');
    await page.getByLabel('Who', { exact: true }).selectOption('person');
    await page.getByLabel('Address of the person').fill('nobody.at.all@example.com');
    await press(page, 'Ask why');
    await see(page, 'No account that is open to you has this address.');
    await page.getByLabel('Address of the person').fill(TAGGER.email);
    await press(page, 'Ask why');
    await see(page, 'No, they may not.');
    await see(page, 'Their roles: tagger');
  },

  'access: everything is seen as somebody else sees it, and nothing can be changed meanwhile': async (world) => {
    const { page, service } = await editor(world);
    const { ask } = await roleOf(service, 'labeller', { resource: 'content.tag.*', value: 'allow' });
    const parts = page.getByRole('navigation', { name: 'Parts' });
    await page.goto(`${service.url}/dash/access`);
    await page.getByLabel('Who', { exact: true }).selectOption('person');
    await page.getByLabel('Address of the person').fill(TAGGER.email);
    await press(page, 'See everything as they do');
    await see(page, `You see what they would see: ${TAGGER.email}. Nothing can be changed meanwhile.`);
    await page.getByRole('main').getByRole('link', { name: 'Tag', exact: true }).waitFor();
    assert.equal(await page.getByRole('main').getByRole('link', { name: 'Post', exact: true }).count(), 0);
    await parts.getByRole('link', { name: 'Access' }).waitFor({ state: 'detached' });
    await press(page, 'See with your own eyes again');
    await page.getByRole('main').getByRole('link', { name: 'Post', exact: true }).waitFor();

    await parts.getByRole('link', { name: 'Access' }).click();
    await page.getByLabel('Who', { exact: true }).selectOption('role:labeller');
    await press(page, 'See everything as they do');
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
    assert.equal(await page.getByText('You see what they would see').count(), 0);
  },

  'access: who may not see roles is not led there': async (world) => {
    const service = await recordsService(world);
    const { page } = await world.visitor();
    await signIn(page, service, TAGGER);
    await page.goto(`${service.url}/dash/access`);
    await see(page, 'Roles and their permissions are not open to you.');
    assert.equal(
      await page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name: 'Access' }).count(),
      0,
    );
  },

  'access: every state is kept as a picture, has no serious finding of axe, and fits a small screen': async (world) => {
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
        await choiceOf(page, 'Change').selectOption('rule');
        await write(page, 'content.post.update', 'record.nobody == auth.id');
        await see(page, /nobody/);
        await page.getByText('Something is wrong with what would be saved.').waitFor();
      },
      'access-others': at('looked-at', 'Everything else'),
      'access-why': async () => {
        await page.goto(`${service.url}/dash/access`);
        await page.getByLabel('Who', { exact: true }).selectOption('role:user');
        await page.getByLabel('Do what').selectOption('update');
        await page
          .getByRole('region', { name: /^Why may they/ })
          .getByLabel('Schema')
          .selectOption('post');
        await press(page, 'Ask why');
        await see(page, 'With those records that a rule lets through.');
      },
      'access-seen': async () => {
        await page.getByLabel('Who', { exact: true }).selectOption('role:user');
        await press(page, 'See everything as they do');
        await page.getByRole('main').getByRole('link', { name: 'Post', exact: true }).waitFor();
      },
    };
    assert.deepEqual(await lookAtAll(page, world, views), []);
  },
};
