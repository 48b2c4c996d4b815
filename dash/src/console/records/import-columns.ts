import type { RecordSchema } from '../data/record-schema.js';

export interface CsvHead {
  readonly headings: readonly string[];
  readonly examples: readonly (readonly string[])[];
}

/** Selected field of each column; null for an ignored column. Undecided columns are missing. */
export type ColumnChoices = Readonly<Record<string, string | null>>;

export type ColumnTarget = readonly [field: string, text: string];

export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t' } as const;
export type Delimiter = keyof typeof DELIMITERS;

export const HEAD_BYTES = 65_536;
const MAX_EXAMPLES = 3;

/** Parses the start of a CSV file (RFC 4180). */
export function readHead(text: string, delimiter: Delimiter): CsvHead {
  const [headings = [], ...examples] = rowsOf(text.replace(/^\ufeff/, ''), DELIMITERS[delimiter], MAX_EXAMPLES + 1);
  return { headings: headings.map((name) => name.trim()), examples };
}

/** Returns the most frequent delimiter in the first line. */
export function likelyDelimiter(text: string): Delimiter {
  const [line = ''] = text.replace(/"[^"]*"/g, '').split(/\r?\n/, 1);
  const counts = (Object.keys(DELIMITERS) as Delimiter[]).map(
    (name) => [line.split(DELIMITERS[name]).length, name] as const,
  );
  return counts.reduce((best, item) => (item[0] > best[0] ? item : best))[1];
}

/**
 * Returns the fields that a column can be mapped to: writable fields and, for a to-one relation, the key and the unique fields of its
 * target.
 */
export function columnTargets(
  schema: RecordSchema,
  writable: ReadonlySet<string>,
  schemas: ReadonlyMap<string, RecordSchema>,
): readonly ColumnTarget[] {
  return schema.fields
    .filter(({ name, generated }) => generated || writable.has(name))
    .flatMap(({ name, label, target, many }): ColumnTarget[] => {
      const other = schemas.get(target ?? '');
      if (target === undefined || many || other === undefined) return [[name, label]];
      const found = other.fields.filter(
        (field) => field.name === other.key || (field.unique && field.target === undefined),
      );
      return found.map((field): ColumnTarget => [`${name}.${field.name}`, `${label}: ${field.label}`]);
    });
}

export function isField(heading: string, { fields }: RecordSchema): boolean {
  const [first = '', ...rest] = heading.split('.');
  const own = fields.some(({ name }) => name === first);
  return own ? rest.length < 2 : fields.some(({ name, target }) => target !== undefined && `${name}_id` === heading);
}

/**
 * Maps the columns to fields: by the user's selection, otherwise by name. Undecided columns are undefined. {@link proposalFor} only
 * suggests a field, which the user must confirm.
 */
export function chosenColumns(
  head: CsvHead,
  schema: RecordSchema,
  choices: ColumnChoices,
): ReadonlyMap<string, string | null | undefined> {
  return new Map(
    head.headings.map((heading) => {
      if (Object.hasOwn(choices, heading)) return [heading, choices[heading]];
      return [heading, isField(heading, schema) ? heading : undefined];
    }),
  );
}

export function proposalFor(heading: string, targets: readonly ColumnTarget[]): string | undefined {
  const name = plain(heading);
  return targets.find(([field, text]) => name !== '' && (plain(text) === name || plain(field) === name))?.[0];
}

/** Returns the `columns` parameter of the import; null if all columns have the names of their fields. */
export function columnsParameter(columns: ReadonlyMap<string, string | null | undefined>): string | null {
  const others = [...columns].filter(([heading, field]) => field !== undefined && field !== heading);
  return others.length === 0 ? null : JSON.stringify(Object.fromEntries(others));
}

const plain = (text: string): string => text.toLowerCase().replace(/[\s_.:-]+/g, '');

function rowsOf(text: string, delimiter: string, maxRows: number): string[][] {
  const rows: string[][] = [];
  let [row, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  const end = (): void => {
    row.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length && rows.length < maxRows; at += 1) {
    const sign = text.charAt(at);
    if (isQuoted && sign === '"' && text.charAt(at + 1) === '"') {
      cell += sign;
      at += 1;
    } else if (sign === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted;
    else if (isQuoted) cell += sign;
    else if (sign === delimiter) end();
    else if (sign === '\n') {
      end();
      rows.push(row);
      row = [];
    } else if (sign !== '\r') cell += sign;
  }
  if (rows.length < maxRows && (cell !== '' || row.length > 0)) rows.push([...row, cell]);
  return rows;
}
