import type { DeletionEffects } from '../../api/openapi.js';
import { texts } from '../../texts/texts.js';

interface RecordCount {
  schema: string;
  count: number;
}

export function deletionEffects({
  records,
  along: dependentRecords,
}: Pick<DeletionEffects, 'records' | 'along'>): string[] {
  const { deletion } = texts('account').account;
  const effectTexts = {
    delete: deletion.recordsDeleted,
    anonymise: deletion.recordsUnlinked,
    keep: deletion.recordsAnonymised,
  };
  const lines = (['delete', 'anonymise', 'keep'] as const).flatMap((action) => {
    const found = records.filter((record) => record.action === action);
    const all = action === 'delete' ? [...found, ...dependentRecords] : found;
    return all.length === 0 ? [] : [effectTexts[action](listOfRecords(all))];
  });
  return lines.length === 0 ? [deletion.noRecords] : lines;
}

/** Formats counts by schema: "2 of post, 1 of comment". */
export function listOfRecords(all: readonly RecordCount[]): string {
  const counts = new Map<string, number>();
  for (const { schema, count } of all) counts.set(schema, (counts.get(schema) ?? 0) + count);
  const { recordsOf } = texts('account').account.deletion;
  return [...counts].map(([schema, count]) => recordsOf(count, schema)).join(', ');
}
