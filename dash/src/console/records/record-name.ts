import { type RecordValues, Reference } from '../data/record-changes.js';
import type { RecordSchema } from '../data/record-schema.js';

export function nameOf({ key, labelField }: RecordSchema, row: RecordValues): string {
  const label = row[labelField];
  if (label instanceof Reference) return label.label;
  return typeof label === 'string' && label !== '' ? label : String(row[key]);
}
