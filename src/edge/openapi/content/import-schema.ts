import { listOf, type Json } from '../document/references.js';

export const IMPORTED: Json = {
  type: 'object',
  required: ['rows', 'created', 'updated', 'dry_run', 'ignored', 'blank'],
  properties: {
    rows: { type: 'integer' },
    created: { type: 'integer' },
    updated: { type: 'integer' },
    dry_run: { type: 'boolean' },
    ignored: {
      ...listOf({ type: 'string' }),
      description: 'Fields that the service fills in, which were not written.',
    },
    blank: { type: 'integer', description: 'Rows of CSV that were skipped because every cell is empty.' },
  },
};
