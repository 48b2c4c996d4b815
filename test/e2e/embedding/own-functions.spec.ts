import { Content } from '../../../src/data/content/content.service.js';
import { defineFunction } from '../../../src/data/expressions/expressions.public.js';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const stars = defineFunction('acme_stars(int): string', (count) => {
  if (count > 5) throw new Error('The secret of the stars.');
  return '*'.repeat(count);
});
const isStaff = defineFunction('acme_is_staff(string): bool', (email) => email.startsWith('person'));
const definition = { functions: [stars, isStaff] };

describe('custom expression functions', () => {
  const world = useTestApp({ definition });
  const hotel = schema('hotel', [
    field('int', 'rank', { default: 0 }),
    field('string', 'shown', { optional: true, setter: 'acme_stars(record.rank)' }),
    field('string', 'label', { optional: true, getter: 'acme_stars(record.rank) + "!"' }),
  ]);

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    await world.app.as(token).post('/api/schema', hotel).expect(201);
  });

  it('run in setters and getters, over the API and from code', async () => {
    const hotels = world.app.get(Content).as('system').schema('hotel');
    const made = await hotels.create({ title: 'a', rank: 3 });
    expect(made).toMatchObject({ shown: '***', label: '***!' });
    const { client } = await personWith(world.app, [
      { resource: 'content.hotel.get', value: 'allow' },
      { resource: 'content.hotel.update', value: 'allow' },
    ]);
    const url = `/api/content/hotel/${String(made['id'])}`;
    expect((await client.patch(url, { rank: 4 }).expect(200)).body.data).toMatchObject({
      shown: '****',
      label: '****!',
    });
  });

  it('that throw change nothing and are only logged', async () => {
    const made = await world.app.get(Content).as('system').schema('hotel').create({ title: 'b', rank: 6 });
    expect(made).toMatchObject({ shown: null, label: null });
    const lines = world.app.log.filter((line) => line.includes('A custom expression function failed.'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('acme_stars');
  });

  it('are evaluated in rules of routes', async () => {
    const { client } = await personWith(world.app, [{ resource: 'schema.list', value: 'acme_is_staff(auth.email)' }]);
    await client.get('/api/schema').expect(200);
    const { client: other } = await personWith(world.app, [
      { resource: 'schema.list', value: '!acme_is_staff(auth.email)' },
    ]);
    await other.get('/api/schema').expect(403);
  });

  it('are rejected if they are invalid or have other parameter types', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    for (const setter of ['acme_star(1)', 'acme_stars("x")']) {
      const inn = schema('inn', [field('string', 'x', { setter })]);
      const { body } = await world.app.as(token).post('/api/schema', inn).expect(422);
      expect(JSON.stringify(body)).toContain('field.setter.compile_error');
    }
  });

  it('that are missing but used by a schema stop the start with one message', async () => {
    const rename = (from: string, to: string) =>
      world.app.sql(`UPDATE schema_parts SET body = replace(body::text, $1, $2)::json`, [from, to]);
    await rename('acme_stars', 'acme_gone');
    try {
      await expect(world.app.secondInstance({ definition })).rejects.toThrow(
        /^The setter of hotel\.shown cannot be used \(.*acme_gone\(int\).*\)\. Define the function that it calls, or change it with schema:apply\.$/,
      );
    } finally {
      await rename('acme_gone', 'acme_stars');
    }
  });

  it('that cannot work are reported at the start', async () => {
    const asynchronous = defineFunction('acme_later(int): int', (async () => 1) as never);
    await expect(TestApp.start({ definition: { functions: [asynchronous] } })).rejects.toThrow(
      'The function acme_later must be synchronous: neither async nor a generator.',
    );
  });
});
