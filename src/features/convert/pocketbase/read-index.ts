import type { DraftSchema, Origin } from '../draft/conversion.types.js';
import type { Notes } from '../draft/notes.js';

/** An index as it is read. */
export type DraftIndex = NonNullable<DraftSchema['indexes']>[number];

const INDEX =
  /^\s*CREATE\s+(UNIQUE\s+)?INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?[`"[]?(\w+)[`"\]]?\s+ON\s+[`"[]?\w+[`"\]]?\s*\(([^()]*)\)\s*(WHERE\s[\s\S]*)?;?\s*$/i;
const COLUMN = /^\s*[`"[]?(\w+)[`"\]]?(\s+COLLATE\s+\w+)?(\s+(?:ASC|DESC))?\s*$/i;
/** Leaves out empty values, as a unique index here does by itself. */
const WITHOUT_EMPTY = /^WHERE\s+[`"[]?(\w+)[`"\]]?\s*(?:!=|<>)\s*(?:''|"")\s*;?\s*$/i;

/** Reads an index that is written in SQL. */
export function readIndex(sql: string, at: Origin, notes: Notes): DraftIndex | undefined {
  const [whole, unique, name = '', list = '', where] = sql.length > 2_000 ? [] : (INDEX.exec(sql) ?? []);
  const columns = list.split(',').map((column) => COLUMN.exec(column));
  if (whole === undefined || columns.some((column) => column === null)) {
    notes.add(at, 'The index is over more than columns, and was left out.');
    return undefined;
  }
  const names = columns.map((column) => column?.[1] ?? '');
  const isOverEmpty = where !== undefined && !names.includes(WITHOUT_EMPTY.exec(where)?.[1] ?? '');
  if (isOverEmpty) {
    notes.add(at, 'The index is over some of the records only, and was left out.');
    return undefined;
  }
  if (columns.some((column) => column?.[2] !== undefined)) notes.add(at, 'The index respects case here.');
  return { at, name, columns: names, ...(unique === undefined ? {} : { unique: true }) };
}
