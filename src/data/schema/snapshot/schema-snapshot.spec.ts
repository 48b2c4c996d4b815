import { applied, blog, schema, snapshotOf, SYSTEM } from '../../../../test/support/schema-definitions.js';
import { SchemaFaultError } from '../codes/schema-fault.js';
import { findSchema, createSnapshot, restoreSnapshot } from './schema-snapshot.js';

const snapshot = snapshotOf(blog());

function* valuesWithin(value: unknown): Generator {
  yield value;
  if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) yield* valuesWithin(child);
}

describe('a snapshot', () => {
  test('is deeply frozen, and contains no functions', () => {
    for (const value of valuesWithin(snapshot)) {
      expect(typeof value).not.toBe('function');
      expect(Object.isFrozen(value)).toBe(true);
    }
  });

  test('survives JSON', () => {
    const restored = restoreSnapshot(JSON.parse(JSON.stringify(snapshot)), SYSTEM);
    expect(restored).toEqual(snapshot);
    expect(restored.hash).toBe(snapshot.hash);
    expect(applied(restored, { put: [{ json: blog() }] }).plan.steps).toEqual([]);
  });

  test('has an increasing version and a hash of the content', () => {
    expect(snapshot.version).toBe(1);
    const again = createSnapshot({ schemas: snapshot.schemas }, 9, SYSTEM);
    expect(again.hash).toBe(snapshot.hash);
    expect(again.version).toBe(9);
    expect(applied(snapshot, { remove: [], put: [{ json: schema('other') }] }).snapshot).toMatchObject({ version: 2 });
  });

  test.each(['constructor', '__proto__', 'hasOwnProperty', 'toString'])('contains nothing called %s', (name) => {
    expect(findSchema(snapshot, name)).toBeUndefined();
    expect(snapshot.schemas['post']?.fields[name]).toBeUndefined();
  });

  test('finds a schema by name and by namespace', () => {
    expect(findSchema(snapshot, 'posts')).toBe(snapshot.schemas['post']);
    expect(findSchema(snapshot, 'user')).toBe(findSchema(snapshot, 'users'));
  });

  test.each([{}, null, { format: 2 }, { ...snapshot, hash: 'x' }, { ...snapshot, schemas: 7 }])(
    'is rejected if it is invalid (%#)',
    (stored) => {
      expect(() => restoreSnapshot(stored, SYSTEM)).toThrow(SchemaFaultError);
    },
  );

  test('is rejected if its hash does not match the content', () => {
    const stored = JSON.parse(JSON.stringify(snapshot)) as { schemas: Record<string, { hash: string }> };
    const [first] = Object.values(stored.schemas);
    if (first) first.hash = 'another';
    expect(() => restoreSnapshot(stored, SYSTEM)).toThrow('schema.init.unknown');
  });
});
