import type { RecordImport } from '../../api/openapi.js';
import { actionsOf, formatOf, isActive, progressOf, shownImports } from './import-file.js';

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
} as RecordImport;

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
    ['can be applied or dismissed after the check', {}, ['apply', 'forget']],
    ['can skip faulty rows', { faults: 2 }, ['skip', 'forget']],
    ['can only be dismissed without a valid row', { faults: 10, would_create: 0, would_update: 0 }, ['forget']],
    ['can skip faulty rows if it only updates records', { faults: 2, would_create: 0 }, ['skip', 'forget']],
    ['can only be dismissed if the file is unreadable', { plan: null, faults: 1 }, ['forget']],
    ['can be dismissed while it is uploaded', { state: 'receiving' }, ['forget']],
    ['can be cancelled while it runs', { state: 'applying', applied: 3 }, ['cancel']],
    [
      'can be checked again if it was cancelled during the check',
      { state: 'cancelled', plan: null },
      ['check', 'forget'],
    ],
    [
      'can be continued or undone if it was cancelled while writing',
      { state: 'cancelled', applied: 5, created: 5, can_be_undone: true },
      ['apply', 'check', 'undo', 'forget'],
    ],
    [
      'can be undone when it is done',
      { state: 'done', applied: 10, plan: null, can_be_undone: true },
      ['undo', 'forget'],
    ],
    ['can be dismissed after the undo', { state: 'undone', applied: 10, removed: 10, plan: null }, ['forget']],
  ] as const)('%s', (_what, changes, actions) => {
    expect(actionsOf({ ...CHECKED, ...changes })).toEqual(actions);
  });

  it('reports progress in rows of the current step', () => {
    const at = { ...CHECKED, checked: 4, applied: 3, created: 3, removed: 2 };
    expect(progressOf({ ...at, state: 'checking' })).toEqual({ step: 'checking', done: 4, of: 10 });
    expect(progressOf({ ...at, state: 'applying' })).toEqual({ step: 'applying', done: 3, of: 10 });
    expect(progressOf({ ...at, state: 'undoing' })).toEqual({ step: 'undoing', done: 2, of: 3 });
    expect(progressOf({ ...at, state: 'receiving' })).toEqual({ step: 'receiving', done: 0, of: 10 });
    expect(progressOf(at)).toBeNull();
    expect([isActive(at), isActive({ ...at, state: 'undoing' })]).toEqual([false, true]);
  });

  it('is shown until it is finished, and the newest one until it is dismissed', () => {
    const of = (id: string, schema: string, state: RecordImport['state']) => ({ ...CHECKED, id, schema, state });
    const all = [of('a', 'tag', 'done'), of('b', 'post', 'done'), of('c', 'post', 'checked'), of('d', 'post', 'done')];
    expect(shownImports(all, 'post').map(({ id }) => id)).toEqual(['b', 'c']);
    expect(shownImports(all, 'user')).toEqual([]);
  });
});
