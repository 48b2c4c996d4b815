import { hasAnyRounded, parseJson, stringifyJson } from '../../../kernel/text/json-numbers.js';
import type { ImportRow } from './rows/import-row.types.js';
import { NamedRecord } from './named-records.js';

/** A row that is kept until it is written. */
export interface StagedRow extends ImportRow {
  /** Whether something in it could not be read: it is looked at, and not written. */
  readonly isFaulty: boolean;
}

/** A row, whether it is faulty, what it says unless it cannot be read, and which relations name their record by another field than its key. */
type Entry = readonly [row: number, isFaulty: 0 | 1, body?: unknown, named?: readonly string[]];

/** Begins a text none of whose numbers is rounded where it is read, so that nobody has to look for those. */
const PLAIN = ' ';

/**
 * Returns rows as a text that {@link unstaged} reads, numbers as they were written.
 *
 * @param faulty the places of those in which something could not be read.
 */
export function staged(rows: readonly ImportRow[], faulty: ReadonlySet<number>): string {
  const entries = rows.map((row) => entryOf(row, faulty.has(row.row) ? 1 : 0));
  return hasAnyRounded(entries) ? stringifyJson(entries) : PLAIN + JSON.stringify(entries);
}

function entryOf({ row, body }: ImportRow, isFaulty: 0 | 1): Entry {
  if (body === undefined) return [row, isFaulty];
  const named: string[] = [];
  const values = Object(body) as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(values)) if (values[name] instanceof NamedRecord) named.push(name);
  return named.length === 0 ? [row, isFaulty, body] : [row, isFaulty, body, named];
}

/** Returns the rows of a text of {@link staged}. */
export function unstaged(text: string): readonly StagedRow[] {
  const entries: unknown = text.startsWith(PLAIN) ? JSON.parse(text) : parseJson(text);
  return (entries as readonly Entry[]).map(([row, isFaulty, body, named = []]) => {
    for (const name of named) {
      const bodies = body as Record<string, unknown>;
      const { by, text: value } = bodies[name] as NamedRecord;
      bodies[name] = new NamedRecord(by, value);
    }
    return { row, body, size: 0, isFaulty: isFaulty === 1 };
  });
}
