import { AppError } from '../../../kernel/app-error.js';
import { defineCounter } from '../../../kernel/metrics.js';

const UPLOADS = defineCounter({
  name: 'lintel_file_uploads_total',
  help: 'Files that were sent, by what became of them.',
  labels: { outcome: ['stored', 'refused', 'failed'] },
});

/** Counts an upload by what becomes of it. */
export async function countedUpload<T>(work: () => Promise<T>): Promise<T> {
  try {
    const made = await work();
    UPLOADS.inc({ outcome: 'stored' });
    return made;
  } catch (error) {
    UPLOADS.inc({ outcome: error instanceof AppError && error.status < 500 ? 'refused' : 'failed' });
    throw error;
  }
}
