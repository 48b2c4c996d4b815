import { ApiError } from '../../api/api-error.js';

/** What is wrong with a record of a file. */
export interface RowFault {
  readonly row: number;
  readonly field: string;
  readonly message: string;
}

/** What is wrong with a file: the first faults, and how many there are. */
export interface FileFaults {
  readonly faults: readonly RowFault[];
  readonly total: number;
}

/** Returns in which form the records of a file are, by its name: CSV, unless it says otherwise. */
export function formatOf(name: string): 'csv' | 'ndjson' | 'json' {
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson';
  return /\.json$/i.test(name) ? 'json' : 'csv';
}

/** Returns the faults of a file that a refusal tells; null for any other refusal. */
export function faultsOf(error: unknown): FileFaults | null {
  if (!(error instanceof ApiError) || error.code !== 'import_invalid') return null;
  const { errors, total } = error.data;
  const faults = Array.isArray(errors) ? errors.filter(isFault) : [];
  return { faults, total: typeof total === 'number' ? total : faults.length };
}

function isFault(entry: unknown): entry is RowFault {
  const { row, field, message } = (entry ?? {}) as Partial<Record<keyof RowFault, unknown>>;
  return typeof row === 'number' && typeof field === 'string' && typeof message === 'string';
}
