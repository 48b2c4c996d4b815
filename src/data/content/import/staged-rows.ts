import { hasAnyRounded, parseJson, stringifyJson } from '../../../kernel/text/json.js';
import type { ImportRow } from './rows/import-source.js';
import { NamedRecord } from './named-records.js';

export interface StagedRow extends ImportRow {
  /** Whether a cell could not be parsed. The row is checked for further errors, but not written. */
  readonly isFaulty: boolean;
}

/** `named` lists the relations that reference a record by a unique field. */
type Entry = readonly [row: number, isFaulty: 0 | 1, body?: unknown, named?: readonly string[]];

/** Prefix of a text without rounded numbers. It can be parsed with `JSON.parse`. */
const PLAIN = ' ';

/**
 * Serializes rows for {@link unstaged}. Numbers keep their original text.
 *
 * @param faulty positions of the rows with parse errors.
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
