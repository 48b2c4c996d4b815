import type { FieldType, JsonValue } from '../../../src/kernel/schema-definition.types.js';
import { schema } from '../../support/schema-definitions.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';
import { candidates, definitionOf, TYPES, type Verdict, verdict } from '../../support/type-conversions.js';

interface Step {
  readonly kind: string;
  readonly field?: string;
  readonly rows?: number;
  readonly problems: readonly { readonly kind: string; readonly count: number }[];
}

describe('changes of types', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeEach(async () => {
    admin = await asAdmin(world.app);
  });

  const isConverted = (from: FieldType, to: FieldType, steps: readonly Step[]) =>
    !steps.some((step) => step.kind === 'archive_column' && step.field === `to_${to}`) && from !== to;
  const define = (from: FieldType, types: readonly FieldType[]) =>
    schema(
      'thing',
      types.map((type) => definitionOf(from, `to_${type}`)),
      { label_field: 'title' },
    );
  const converted = (from: FieldType, types: readonly FieldType[]) =>
    schema(
      'thing',
      types.map((type) => definitionOf(type, `to_${type}`)),
      { label_field: 'title' },
    );
  const stored = (types: readonly FieldType[]) =>
    world.app.sql(`SELECT title, ${types.map((type) => `to_${type}::text`).join(', ')} FROM things ORDER BY title`);
  const fill = async (rows: number, valueAt: (row: number) => Record<string, JsonValue>) => {
    for (let at = 0; at < rows; at += 50) {
      const records = Array.from({ length: Math.min(50, rows - at) }, (_, row) => ({
        title: String(at + row).padStart(4, '0'),
        ...valueAt(at + row),
      }));
      await admin.post('/api/content/things', records).expect(201);
    }
  };
  const remove = () => admin.delete('/api/schema/thing?allow_data_loss=true');
  afterEach(remove);
  const planOf = async (definition: object): Promise<readonly Step[]> =>
    (await admin.post('/api/schema/plan', definition).expect(200)).body.data.steps;

  test.each(TYPES)('%s: the plan counts invalid values and losses, and an undo restores the rest', async (from) => {
    const values = candidates(from);
    const others = TYPES.filter((type) => type !== from);
    await admin.post('/api/schema', define(from, others)).expect(201);
    await fill(values.length, (row) => Object.fromEntries(others.map((type) => [`to_${type}`, values[row]!])));
    const steps = await planOf(converted(from, others));
    const possible = others.filter((type) => isConverted(from, type, steps));
    const of = (to: FieldType, kind: Verdict) => values.filter((value) => verdict(value, from, to) === kind);
    const found = possible.map((to) => {
      const mine = steps.filter((step) => step.field === `to_${to}`);
      const invalid = mine.flatMap(({ problems }) => problems).reduce((sum, { count }) => sum + count, 0);
      return { to, invalid, changed: mine.reduce((sum, { rows }) => sum + (rows ?? 0), 0) };
    });
    const expected = possible.map((to) => ({
      to,
      invalid: of(to, 'invalid').length,
      changed: of(to, 'changed').length,
    }));
    expect(found).toEqual(expected);
    await remove();
    if (possible.length === 0) return;

    const kept = new Map(possible.map((to) => [to, of(to, 'kept')]));
    const rows = Math.max(0, ...[...kept.values()].map(({ length }) => length));
    await admin.post('/api/schema', define(from, possible)).expect(201);
    await fill(rows, (row) => Object.fromEntries(possible.map((to) => [`to_${to}`, kept.get(to)![row] ?? null])));
    const before = await stored(possible);
    await admin.put('/api/schema/thing', converted(from, possible)).expect(200);
    const after = await stored(possible);
    for (const expectation of [before, after, before]) {
      await admin.post('/api/schema/undo').expect(200);
      expect(await stored(possible)).toEqual(expectation);
    }
  });

  test.each<[FieldType, FieldType, JsonValue]>([
    ['text', 'float64', '1.50'],
    ['text', 'time', '2026-02-28'],
    ['int64', 'float64', '9007199254740993'],
    ['float64', 'float32', 0.123456789],
    ['float64', 'int', 1.5],
    ['json', 'text', '5'],
  ])('a loss from %s to %s needs consent, and its undo is refused', async (from, to, value) => {
    await admin.post('/api/schema', define(from, [to])).expect(201);
    await fill(2, () => ({ [`to_${to}`]: value }));
    const refused = await admin.put('/api/schema/thing', converted(from, [to])).expect(409);
    expect(refused.body.data).toMatchObject({ error: 'migration_destructive', steps: [{ rows: 2 }] });
    await admin.put('/api/schema/thing?allow_data_loss=true', converted(from, [to])).expect(200);
    const after = await stored([to]);
    expect((await admin.post('/api/schema/undo').expect(409)).body.data.error).toBe('undo_impossible');
    expect(await stored([to])).toEqual(after);
  });

  it('restores JSON after a change to text', async () => {
    const values = [{ a: [1, 'x', null] }, [], 'plain', 5, true, 0.1];
    await admin.post('/api/schema', define('json', ['text'])).expect(201);
    await fill(values.length, (row) => ({ to_text: values[row]! }));
    const before = await stored(['text']);
    await admin.put('/api/schema/thing', converted('json', ['text'])).expect(200);
    await admin.post('/api/schema/undo').expect(200);
    expect(await stored(['text'])).toEqual(before);
    const { items } = (await admin.get('/api/content/things?sort=title').expect(200)).body.data;
    expect(items.map((item: { to_text: unknown }) => item.to_text)).toEqual(values);
  });

  it('restores text after a change to JSON, and refuses the undo once other JSON was written', async () => {
    await admin.post('/api/schema', define('text', ['json'])).expect(201);
    await fill(3, (row) => ({ to_json: ['5', '{"a": 1}', 'x'][row]! }));
    const before = await stored(['json']);
    const json = converted('text', ['json']);
    await admin.put('/api/schema/thing', json).expect(200);
    await admin.post('/api/schema/undo').expect(200);
    expect(await stored(['json'])).toEqual(before);
    await admin.post('/api/schema/undo').expect(200);
    await admin.post('/api/content/things', { title: 'new', to_json: { a: 1 } }).expect(201);
    expect((await admin.post('/api/schema/undo').expect(409)).body.data.error).toBe('undo_impossible');
  });
});
