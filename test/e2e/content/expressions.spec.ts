import { field, schema } from '../../support/schema-definitions.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('setters and getters', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    const card = schema('card', [
      field('string', 'slug', { optional: true, setter: 'slug(record.title)' }),
      field('string', 'code', { optional: true, setter: 'upper(value)' }),
      field('string', 'number', { optional: true, getter: '"*" + value.substring(2)' }),
      field('string', 'shout', { optional: true, getter: 'upper(record.title)' }),
    ]);
    await root.post('/api/schema', card).expect(201);
  });

  it('run where a record is made, changed and read, in lists too', async () => {
    const made = await root.post('/api/content/cards', { title: 'One Two', code: 'ab', number: '1234' }).expect(201);
    expect(made.body.data).toMatchObject({ slug: 'one-two', code: 'AB', number: '*34', shout: 'ONE TWO' });
    const path = `/api/content/cards/${made.body.data.id}`;
    expect((await root.patch(path, { title: 'Three' })).body.data).toMatchObject({ slug: 'three', shout: 'THREE' });
    expect((await root.patch(path, { code: 'cd' })).body.data).toMatchObject({ slug: 'three', code: 'CD' });
    const { body } = await root.get('/api/content/cards?select=number,shout').expect(200);
    expect(body.data.items).toEqual([{ number: '*34', shout: 'THREE' }]);
  });

  it('what is computed when it is read is nothing to filter or sort by', async () => {
    await root.get('/api/content/cards?filter={"number":"1234"}').expect(400);
    await root.get('/api/content/cards?sort=number').expect(400);
    await root.get('/api/content/cards/aggregate?max=number').expect(400);
  });
});
