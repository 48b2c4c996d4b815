import { signedIn } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** Bounds of each numeric type, and JSON literals just outside of them. */
const TYPES: readonly (readonly [type: string, bounds: readonly [string, string], outside: readonly string[]])[] = [
  ['int', ['-9007199254740991', '9007199254740991'], ['-9007199254740992', '9007199254740992', '1e300']],
  ['int8', ['-128', '127'], ['-129', '128', '1e300']],
  ['int16', ['-32768', '32767'], ['-32769', '32768', '9007199254740993']],
  ['int32', ['-2147483648', '2147483647'], ['-2147483649', '2147483648', '"2147483648"']],
  [
    'int64',
    ['-9223372036854775808', '9223372036854775807'],
    ['"-9223372036854775809"', '"9223372036854775808"', '-1e19', '9223372036854775808', '1e300'],
  ],
  ['uint', ['0', '9007199254740991'], ['-1', '9007199254740992', '-9007199254740993']],
  ['uint8', ['0', '255'], ['-1', '256', '-1e300']],
  ['uint16', ['0', '65535'], ['-1', '65536']],
  ['uint32', ['0', '4294967295'], ['-1', '4294967296']],
  ['uint64', ['0', '18446744073709551615'], ['-1', '"-1"', '"18446744073709551616"', '1e20', '-9007199254740993']],
  ['float32', ['-3.4028235e38', '3.4028235e38'], ['-3.5e38', '3.5e38', '1e39', '1e999', '-1e999']],
  ['float64', ['-1.7976931348623157e308', '1.7976931348623157e308'], ['1e309', '-1e309', '1e999']],
];
const TOO_SMALL: readonly (readonly [type: string, smallest: string, literals: readonly string[]])[] = [
  ['float32', '1.4e-45', ['1e-50', '-1e-50', '7e-46', '5e-324', '1e-400']],
  ['float64', '5e-324', ['1e-400', '-1e-400', '1e-1000']],
];
/** Numbers near zero, with the number that is returned. */
const SMALL: readonly (readonly [type: string, literal: string, kept: number])[] = [
  ['float32', '1.4e-45', 1e-45],
  ['float32', '-1.4e-45', -1e-45],
  ['float32', '1e-40', 1e-40],
  ['float32', '1.1754944e-38', 1.1754944e-38],
  ['float32', '0.0', 0],
  ['float64', '5e-324', 5e-324],
  ['float64', '-5e-324', -5e-324],
  ['float64', '2.2250738585072014e-308', 2.2250738585072014e-308],
  ['float64', '1e-310', 1e-310],
  ['float64', '0e-400', 0],
];

describe('numbers', () => {
  const world = useTestApp();
  let root: TestClient;
  let id: string;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    const fields = TYPES.map(([type]) => field(type, `a_${type}`, { optional: true }));
    await root.post('/api/schema', schema('gauge', fields)).expect(201);
    id = (await root.post('/api/content/gauges', { title: 'x' }).expect(201)).body.data.id;
  });

  const writes = (name: string, literal: string) => {
    const data = `{"title":"x","${name}":${literal}}`;
    const batch = `{"operations":[{"op":"create","schema":"gauge","data":${data}}]}`;
    return [
      root.post('/api/content/gauges').set('content-type', 'application/json').send(data),
      root.post('/api/content/gauges').set('content-type', 'application/json').send(`[${data}]`),
      root.patch(`/api/content/gauges/${id}`).set('content-type', 'application/json').send(`{"${name}":${literal}}`),
      root
        .patch('/api/content/gauges?filter={}')
        .set('content-type', 'application/json')
        .send(`{"${name}":${literal}}`),
      root.post('/api/batch').set('content-type', 'application/json').send(batch),
      root.post('/api/content/gauges/import?format=json').set('content-type', 'application/json').send(`[${data}]`),
    ];
  };
  const messages = async (name: string, literal: string): Promise<string[]> => {
    const found: string[] = [];
    for (const sent of writes(name, literal)) {
      const { body } = await sent.expect(400);
      found.push(body.data.errors[0].message);
    }
    return found;
  };

  it.each(TYPES)('outside the range of %s are rejected with the range', async (type, bounds, literals) => {
    for (const literal of literals)
      for (const message of await messages(`a_${type}`, literal))
        expect([literal, message]).toEqual([literal, expect.stringContaining(`from ${bounds.join(' to ')}`)]);
  });

  it.each(TYPES)('at the limits of %s are stored', async (type, bounds) => {
    for (const bound of bounds)
      for (const sent of writes(`a_${type}`, bound.includes('e') || bound.length < 16 ? bound : `"${bound}"`))
        expect((await sent).status).toBeLessThan(300);
  });

  it('beyond 2^53 must be sent as text where the field allows them', async () => {
    for (const type of ['int64', 'uint64'])
      for (const message of await messages(`a_${type}`, '9007199254740993'))
        expect(message).toContain('numbers beyond 2^53 must be sent as text');
    for (const type of ['int', 'int32', 'uint8'])
      for (const message of await messages(`a_${type}`, '1.5')) expect(message).toContain('whole number');
  });

  it.each(TOO_SMALL)(
    'too close to zero for %s are rejected with the smallest number',
    async (type, smallest, literals) => {
      for (const literal of literals)
        for (const message of await messages(`a_${type}`, literal)) expect(message).toContain(smallest);
    },
  );

  it.each(SMALL)('near zero are stored: %s %s', async (type, literal, kept) => {
    for (const sent of writes(`a_${type}`, literal)) expect((await sent).status).toBeLessThan(300);
    expect((await root.get(`/api/content/gauges/${id}`).expect(200)).body.data[`a_${type}`]).toBe(kept);
  });

  it.each([
    ['int64', '{"$gt":"9223372036854775808"}', '9223372036854775807'],
    ['int8', '{"$in":[1,"-9223372036854775809"]}', '-9223372036854775808'],
    ['uint64', '{"$eq":-1}', '18446744073709551615'],
    ['float32', '{"$lt":1e39}', '3.4028235e38'],
    ['float64', '{"$neq":1e999}', '1.7976931348623157e308'],
  ])('outside the range of %s are rejected in filters: %s', async (type, operand, bound) => {
    const { body } = await root.get(`/api/content/gauges?filter={"a_${type}":${operand}}`).expect(400);
    expect(body.data.errors).toEqual([
      { field: `a_${type}`, code: 'value_invalid', message: expect.stringContaining(bound) },
    ]);
  });

  it('in query parameters are rejected with their limits on every route', async () => {
    const { body } = await root.get('/api/openapi.json').expect(200);
    const found: string[] = [];
    for (const [path, operations] of Object.entries(body.paths as Record<string, Record<string, Operation>>)) {
      for (const { in: place, name, schema: rules } of operations['get']?.parameters ?? []) {
        if (place !== 'query' || rules?.type !== 'integer') continue;
        found.push(`${path} ${name}`);
        const address = path.replaceAll(/\{\w+\}/g, id);
        for (const value of [(rules.minimum ?? 0) - 1, (rules.maximum ?? Number.NaN) + 1]) {
          const answer = await root.get(`${address}?${name}=${value}`);
          const text = `${path} ${answer.status} ${JSON.stringify(answer.body)}`;
          expect(text).toMatch(/ 4(00|22) /);
          expect(text).toContain(`from ${rules.minimum} to ${rules.maximum}`);
          expect(text).toContain(name);
        }
      }
    }
    expect(found.length).toBeGreaterThan(5);
    const page = await root.get('/api/content/gauges?page=100002&limit=10').expect(400);
    expect(page.body.data.errors[0].message).toContain('from 1 to 100001');
    const children = await root.get('/api/content/gauges?relations={"x":{"limit":1001}}').expect(400);
    expect(children.body.data.errors[0].message).toContain('from 1 to 1000');
  });
});

interface Operation {
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema?: { readonly type?: string; readonly minimum?: number; readonly maximum?: number };
  }[];
}
