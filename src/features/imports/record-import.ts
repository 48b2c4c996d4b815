import type { RawQuery } from '../../data/content/content.public.js';
import type { JobActor } from '../../identity/auth/auth.public.js';
import { defineLimit } from '../../kernel/limits.js';
import { defineOperation, type Operation } from '../../platform/operations/operations.public.js';
import type { ImportState } from './record-imports.dto.js';

export interface ImportInput {
  /** The principal that the job runs as: the account of its owner, with an API key or a session. */
  readonly actor: JobActor;
  readonly schema: string;
  readonly mode: string;
  /** Query parameters of the request, not parsed. */
  readonly query: RawQuery;
  readonly mediaType: string;
  /** Whether the import is applied automatically after a check without errors. */
  readonly appliesAutomatically: boolean;
}

/** Initial progress of an import. */
export const NEW_IMPORT = {
  /** Whether the header of the file is valid and the file could be read completely. */
  isReadable: true,
  skipsFaulty: false,
  /** CSV rows that were skipped because all cells are empty. */
  blank: 0,
  /** Rows that the current check, or the last one, has processed. */
  checked: 0,
  /** Numbers of records that the import would create and update, from the last check. */
  wouldCreate: 0,
  wouldUpdate: 0,
  created: 0,
  updated: 0,
  removed: 0,
  faults: 0,
  /** Columns of the file that are ignored, because the server sets these fields. */
  ignored: [] as readonly string[],
  canBeUndone: true,
  /** Version of the schemas at the last check. */
  schemaVersion: 0,
};

/** `total` counts the rows of the file, `done` the rows that were written, or skipped because of errors. */
export type RecordImport = Operation<ImportState, ImportInput, Readonly<typeof NEW_IMPORT>>;

export const RECORD_IMPORT = defineOperation<RecordImport>('record.import', {
  running: ['checking', 'applying', 'undoing'],
  limit: {
    states: ['receiving', 'checking', 'checked', 'applying', 'stopped', 'cancelled', 'undoing'],
    maximum: defineLimit(5, 'Imports', 'unfinished imports of one account', 'imports_pending'),
    error: 'imports_pending',
  },
  // An upload that makes no progress is deleted after an hour.
  retentionMs: { receiving: 3_600_000 },
  errors: { missing: 'import_not_found', ended: 'import_not_ready' },
});

/** Maximum number of stored errors. A file with more errors is stopped. */
export const MAX_FAULTS = defineLimit(
  100_000,
  'Imports',
  'errors of an import in the background, before it stops',
  'import_invalid',
);
