import type { ToldImport } from '../../api/openapi.js';
import { actionsOf, formatOf, isUnderWay, progressOf, shownImports } from './import-file.js';

const CHECKED = {
  id: 'one',
  schema: 'post',
  state: 'checked',
  rows: 10,
  checked: 10,
  applied: 0,
  created: 0,
  removed: 0,
  faults: 0,
  would_create: 6,
  would_update: 2,
  plan: 'plan',
  can_be_undone: false,
} as ToldImport;

describe('a file of records', () => {
  it.each([
    ['posts.csv', 'csv'],
    ['posts.tsv', 'csv'],
    ['posts', 'csv'],
    ['posts.NDJSON', 'ndjson'],
    ['posts.jsonl', 'ndjson'],
    ['posts.json', 'json'],
    ['json.csv', 'csv'],
  ])('%s is %s', (name, format) => {
    expect(formatOf(name)).toBe(format);
  });
});

describe('an import', () => {
  it.each([
    ['that was checked is applied or forgotten', {}, ['apply', 'forget']],
    ['with faults is applied without their rows', { faults: 2 }, ['skip', 'forget']],
    ['without a valid row is forgotten alone', { faults: 10, would_create: 0, would_update: 0 }, ['forget']],
    ['that only changes records is applied, too', { faults: 2, would_create: 0 }, ['skip', 'forget']],
    ['of a file that cannot be read is forgotten alone', { plan: null, faults: 1 }, ['forget']],
    ['that comes in is forgotten, as its sender may be gone', { state: 'receiving' }, ['forget']],
    ['that goes on is cancelled', { state: 'applying', applied: 3 }, ['cancel']],
    [
      'that was cancelled while it was checked is checked again',
      { state: 'cancelled', plan: null },
      ['check', 'forget'],
    ],
    [
      'that was cancelled in its middle goes on, or is taken back',
      { state: 'cancelled', applied: 5, created: 5, can_be_undone: true },
      ['apply', 'check', 'undo', 'forget'],
    ],
    ['that is done is taken back', { state: 'done', applied: 10, plan: null, can_be_undone: true }, ['undo', 'forget']],
    ['that was taken back is forgotten', { state: 'undone', applied: 10, removed: 10, plan: null }, ['forget']],
  ] as const)('%s', (_what, changes, actions) => {
    expect(actionsOf({ ...CHECKED, ...changes })).toEqual(actions);
  });

  it('says how far it is, in the rows of its step', () => {
    const at = { ...CHECKED, checked: 4, applied: 3, created: 3, removed: 2 };
    expect(progressOf({ ...at, state: 'checking' })).toEqual({ step: 'checking', done: 4, of: 10 });
    expect(progressOf({ ...at, state: 'applying' })).toEqual({ step: 'applying', done: 3, of: 10 });
    expect(progressOf({ ...at, state: 'undoing' })).toEqual({ step: 'undoing', done: 2, of: 3 });
    expect(progressOf({ ...at, state: 'receiving' })).toEqual({ step: 'receiving', done: 0, of: 10 });
    expect(progressOf(at)).toBeNull();
    expect([isUnderWay(at), isUnderWay({ ...at, state: 'undoing' })]).toEqual([false, true]);
  });

  it('stands at the list of its schema until it is over, and the last one until it is forgotten', () => {
    const of = (id: string, schema: string, state: ToldImport['state']) => ({ ...CHECKED, id, schema, state });
    const all = [of('a', 'tag', 'done'), of('b', 'post', 'done'), of('c', 'post', 'checked'), of('d', 'post', 'done')];
    expect(shownImports(all, 'post').map(({ id }) => id)).toEqual(['b', 'c']);
    expect(shownImports(all, 'user')).toEqual([]);
  });
});
