import fc from 'fast-check';
import { asAdmin, catalogue } from '../../support/schema-fixture.js';
import { blog } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/schema';
/** Statuses that a response may have, for any body. */
const TOLD = new Set([200, 201, 400, 404, 409, 413, 422]);

describe('unexpected bodies', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeAll(async () => {
    admin = await asAdmin(world.app);
    await admin.post(PATH, { schemas: blog() }).expect(201);
  });

  it('random JSON causes no server error, and changes nothing', async () => {
    const before = await catalogue(world.app);
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom('', '/import', '/validate', '/plan'),
        async (json, path) => {
          const { status } = await admin.post(`${PATH}${path}`, json);
          expect([status, TOLD.has(status)]).toEqual([status, true]);
        },
      ),
      { numRuns: 60 },
    );
    expect(await catalogue(world.app)).toEqual(before);
  });

  it('valid definitions with one random member cause no server error', async () => {
    const members = [
      'name',
      'namespace',
      'label_field',
      'primary_field',
      'fields',
      'db',
      'renames',
      'disable_timestamp',
    ];
    const fields = ['type', 'name', 'size', 'unique', 'default', 'enums', 'relation', 'setter', 'db', 'optional'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...blog().map((_, index) => index)),
        fc.oneof(
          fc.record({
            on: fc.constant('schema'),
            member: fc.constantFrom(...members),
            value: fc.jsonValue({ maxDepth: 3 }),
          }),
          fc.record({
            on: fc.constant('field'),
            member: fc.constantFrom(...fields),
            value: fc.jsonValue({ maxDepth: 3 }),
          }),
        ),
        fc.nat({ max: 5 }),
        async (index, { on, member, value }, position) => {
          const schemas = structuredClone(blog());
          const target = schemas[index] as Record<string, unknown>;
          const list = target['fields'] as Record<string, unknown>[];
          if (on === 'schema') target[member] = value;
          else (list[position % list.length] as Record<string, unknown>)[member] = value;
          const { status, body } = await admin.post(`${PATH}/plan`, { schemas });
          expect([status, TOLD.has(status), body]).toEqual([status, true, body]);
        },
      ),
      { numRuns: 120 },
    );
  });

  it.each(['" OR 1=1; --', 'a"; DROP TABLE users; --', 'ünï', 'x'.repeat(64), '__proto__', ''])(
    'a name such as %j does not reach the database',
    async (name) => {
      const before = await catalogue(world.app);
      const fields = [{ type: 'string', name: 'title' }];
      await admin.post(PATH, { name, namespace: 'goods', label_field: 'title', fields }).expect(422);
      await admin.post(PATH, { name: 'good', namespace: name, label_field: 'title', fields }).expect(422);
      await admin
        .post(PATH, {
          name: 'good',
          namespace: 'goods',
          label_field: 'title',
          fields: [...fields, { type: 'int', name }],
        })
        .expect(422);
      await admin
        .post(PATH, {
          name: 'good',
          namespace: 'goods',
          label_field: 'title',
          fields: [...fields, { type: 'int', name: 'n', db: { column: name === '' ? ' ' : name } }],
        })
        .expect(422);
      expect(await catalogue(world.app)).toEqual(before);
    },
  );
});
