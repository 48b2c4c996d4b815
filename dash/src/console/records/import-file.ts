import type { RecordImport } from '../../api/openapi.js';

export type ImportAction = 'apply' | 'skip' | 'check' | 'cancel' | 'undo' | 'forget';

export interface ImportProgress {
  readonly step: 'receiving' | 'checking' | 'applying' | 'undoing';
  readonly done: number;
  readonly of: number;
}

const ACTIVE_STATES: readonly RecordImport['state'][] = ['receiving', 'checking', 'applying', 'undoing'];

/** Returns the format for a file name; `csv` by default. */
export function formatOf(name: string): 'csv' | 'ndjson' | 'json' {
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson';
  return /\.json$/i.test(name) ? 'json' : 'csv';
}

/** Returns whether the service is currently processing an import. */
export const isActive = ({ state }: RecordImport): boolean => ACTIVE_STATES.includes(state);

export function progressOf({ state, rows, checked, applied, created, removed }: RecordImport): ImportProgress | null {
  if (state === 'checking') return { step: state, done: checked, of: rows };
  if (state === 'applying') return { step: state, done: applied, of: rows };
  if (state === 'undoing') return { step: state, done: removed, of: created };
  return state === 'receiving' ? { step: state, done: 0, of: rows } : null;
}

export function actionsOf(job: RecordImport): readonly ImportAction[] {
  const { state, plan, faults, rows, applied, removed } = job;
  const valid = job.would_create + job.would_update;
  // The uploading client may be gone, and nothing else would delete the import.
  if (state === 'receiving') return ['forget'];
  if (isActive(job)) return ['cancel'];
  const isUnfinished = applied < rows && removed === 0;
  return [
    ...(plan === null || faults > 0 ? [] : ['apply' as const]),
    ...(plan === null || faults === 0 || valid === 0 ? [] : ['skip' as const]),
    ...(isUnfinished && state !== 'checked' ? ['check' as const] : []),
    ...(job.can_be_undone ? ['undo' as const] : []),
    'forget',
  ];
}

/** Returns the imports of a schema to show: unfinished ones, and the newest one. */
export function shownImports(imports: readonly RecordImport[], schema: string): readonly RecordImport[] {
  const own = imports.filter((job) => job.schema === schema);
  return own.filter(({ state }, index) => index === 0 || (state !== 'done' && state !== 'undone'));
}
