import { applied, field, schema, snapshotOf, SYSTEM } from '../../../../test/support/schema-definitions.js';
import { prepareUndo } from '../change/prepare-undo.js';
import type { SchemaChange } from '../change/prepare-change.js';
import { lastReuse, reusedAt } from './name-history.js';
import { restoreSnapshot } from './schema-snapshot.js';
import type { SchemaSnapshot } from './schema-snapshot.types.js';

const post = (...names: string[]) =>
  schema(
    'post',
    names.map((name) => field('int', name, { optional: true })),
  );
const put = (snapshot: SchemaSnapshot, json: unknown, more: SchemaChange = {}) =>
  applied(snapshot, { put: [{ json }], ...more }).snapshot;
const remove = (snapshot: SchemaSnapshot, name: string) => applied(snapshot, { remove: [name] }).snapshot;
const undo = (snapshot: SchemaSnapshot, former: SchemaSnapshot): SchemaSnapshot => {
  const undone = prepareUndo(snapshot, { snapshot: former, lossy: false, direction: 'forward' });
  if (!undone.ok) throw new Error('an undo is sound');
  return undone.snapshot;
};
const since = ({ history }: SchemaSnapshot, name: string, at?: string) => reusedAt(history, name, at);

describe('the history of names', () => {
  const first = snapshotOf(post('a', 'b'));

  test('stays empty while no name is reused', () => {
    const grown = put(put(first, post('a', 'b', 'c')), schema('other'));
    expect(lastReuse(grown.history)).toBe(0);
    const retyped = put(
      first,
      schema('post', [field('string', 'a', { optional: true }), field('int', 'b', { optional: true })]),
    );
    expect(since(retyped, 'post', 'a')).toBe(0);
  });

  test('changes when a field is recreated', () => {
    const again = put(put(first, post('b')), post('a', 'b'));
    expect([since(again, 'post', 'a'), since(again, 'post', 'b'), since(again, 'post')]).toEqual([3, 0, 0]);
    expect(lastReuse(again.history)).toBe(3);
    const thrice = put(put(again, post('b')), post('a', 'b'));
    expect(since(thrice, 'post', 'a')).toBe(5);
  });

  test('does not change when an undo restores a dropped field', () => {
    const dropped = put(first, post('b'));
    expect(since(undo(dropped, first), 'post', 'a')).toBe(0);
    const gone = remove(first, 'post');
    const back = undo(gone, first);
    expect([since(back, 'post'), since(back, 'post', 'a')]).toEqual([0, 0]);
    // The undo also restores the history before the removal.
    const again = put(dropped, post('a', 'b'));
    expect(since(undo(remove(again, 'post'), again), 'post', 'a')).toBe(3);
  });

  test('changes for a recreated schema, and for all of its fields', () => {
    const again = put(remove(first, 'post'), post('a', 'z'));
    expect([since(again, 'post'), since(again, 'post', 'a'), since(again, 'post', 'z')]).toEqual([3, 3, 3]);
    const later = put(put(again, post('z')), post('a', 'z'));
    expect([since(later, 'post', 'a'), since(later, 'post', 'z')]).toEqual([5, 3]);
  });

  test('changes when names are exchanged, or released and reused', () => {
    const swapped = put(first, { ...post('a', 'b'), renames: { fields: { a: 'b', b: 'a' } } });
    expect([since(swapped, 'post', 'a'), since(swapped, 'post', 'b')]).toEqual([2, 2]);
    const moved = put(first, { ...post('a', 'c'), renames: { fields: { b: 'a', a: 'c' } } });
    expect([since(moved, 'post', 'a'), since(moved, 'post', 'c')]).toEqual([2, 0]);
    const renamed = put(first, { ...post('b', 'old'), renames: { fields: { a: 'old' } } });
    expect(since(put(renamed, post('a', 'b', 'old')), 'post', 'a')).toBe(3);
    expect(since(put(renamed, { ...post('a', 'b'), renames: { fields: { old: 'a' } } }), 'post', 'a')).toBe(0);
  });

  test('follows a renamed schema, and is not inherited by another with its former name', () => {
    const dropped = put(first, post('b'));
    const article = { ...post('b'), name: 'article', namespace: 'articles', renames: { schema: 'post' } };
    const renamed = put(dropped, article);
    const again = put(renamed, { ...post('a', 'b'), name: 'article', namespace: 'articles' });
    expect([since(again, 'article'), since(again, 'article', 'a'), since(again, 'article', 'b')]).toEqual([0, 4, 0]);
    const other = put(again, post('a'));
    expect([since(other, 'post'), since(other, 'article', 'a')]).toEqual([5, 4]);
  });

  test('follows schemas that exchange names', () => {
    const both = put(
      put(snapshotOf([schema('sun', [field('int', 'x')]), schema('moon')]), schema('sun')),
      schema('star'),
    );
    const swapped = put(both, [
      { ...schema('sun'), renames: { schema: 'moon' } },
      { ...schema('moon'), renames: { schema: 'sun' } },
    ]);
    expect([since(swapped, 'sun'), since(swapped, 'moon'), since(swapped, 'star')]).toEqual([4, 4, 0]);
    const made = put(swapped, schema('moon', [field('int', 'x')]));
    expect(made.history.retaken).toMatchObject({ 'moon.x': 5 });
  });

  test('is stored with the version', () => {
    const again = put(put(first, post('b')), post('a', 'b'));
    const restored = restoreSnapshot(JSON.parse(JSON.stringify(again)), SYSTEM);
    expect(restored).toEqual(again);
    expect(since(restored, 'post', 'a')).toBe(3);
  });
});
