import { AppError } from '../../../kernel/errors/app-error.js';
import { isStorableJson } from '../../../kernel/text/storable-text.js';
import { type ContentLimits, QueryFaults } from './query-faults.js';
import { EXPORT_FORMATS, type ExportFormat } from './list-query.types.js';
import { flag, oneOf, type RawQuery, readParameters, objectIn } from './parse-list-query.js';

/** `create`: all records are new. `update`: all exist. `upsert`: either. */
export type ImportMode = 'create' | 'update' | 'upsert';

export interface ImportQuery {
  readonly format: ExportFormat;
  readonly delimiter: string;
  /** Encoding of CSV without a byte order mark, as a `TextDecoder` label. */
  readonly encoding: string;
  /** Whether apostrophes added by an export against formulas are removed. */
  readonly escapesFormulas: boolean;
  /** Whether all changes are rolled back at the end. */
  readonly isDryRun: boolean;
  /** Whether keys and timestamps of the file are kept instead of generated. */
  readonly keepsGeneratedValues: boolean;
  readonly mode: ImportMode;
  /** The field that identifies existing records; null for the primary key. */
  readonly key: string | null;
  readonly columns: ColumnNames;
}

export type ColumnNames = ReadonlyMap<string, string | null>;

/** A `charset` parameter of a media type (RFC 9110 §8.3.2). */
const CHARSET = /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i;
const PARAMETERS = ['format', 'delimiter', 'formulas', 'dry_run', 'generated', 'mode', 'key', 'columns'];
const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t' } as const;
/** By `charset` label. */
const ENCODINGS: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'utf-16': 'utf-16le',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
  'iso-8859-1': 'windows-1252',
  'windows-1252': 'windows-1252',
};
const MEDIA: Readonly<Record<string, ExportFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/json': 'json',
};

/**
 * @param mediaType declared media type of the body. It is used if the query has no `format`.
 * @throws AppError `query_invalid` with all errors.
 */
export function parseImportQuery(raw: RawQuery, mediaType: string, limits: ContentLimits): ImportQuery {
  const faults = new QueryFaults(limits);
  const query = readParameters(raw, PARAMETERS, faults);
  const [media = '', ...attributes] = mediaType.split(';');
  const stated = MEDIA[media.trim().toLowerCase()] ?? 'csv';
  const format = query.has('format') ? oneOf(query, 'format', EXPORT_FORMATS, faults) : stated;
  const read: ImportQuery = {
    format,
    encoding: encodingOf(attributes, format),
    delimiter: DELIMITERS[oneOf(query, 'delimiter', ['comma', 'semicolon', 'tab'], faults)],
    escapesFormulas: oneOf(query, 'formulas', ['escape', 'keep'], faults) === 'escape',
    isDryRun: flag(query.get('dry_run'), 'dry_run', faults),
    keepsGeneratedValues: oneOf(query, 'generated', ['new', 'keep'], faults) === 'keep',
    mode: oneOf(query, 'mode', ['create', 'update', 'upsert'], faults),
    key: query.get('key') ?? null,
    columns: columnsIn(query.get('columns'), faults),
  };
  if (query.has('columns') && read.format !== 'csv') faults.add('columns', 'malformed', 'is allowed for CSV only');
  if (read.key !== null && read.mode === 'create')
    faults.add('key', 'malformed', 'is allowed for mode=update and mode=upsert only');
  faults.assertNone();
  return read;
}

/** @throws AppError `content_type_unsupported` with the charset in its message. */
function encodingOf(attributes: readonly string[], format: ExportFormat): string {
  const charset = attributes.map((text) => CHARSET.exec(text)?.[1]?.toLowerCase()).find((name) => name !== undefined);
  if (charset === undefined) return 'utf-8';
  const encoding = Object.hasOwn(ENCODINGS, charset) ? ENCODINGS[charset] : undefined;
  if (encoding !== undefined && (format === 'csv' || encoding === 'utf-8')) return encoding;
  const encodings = format === 'csv' ? 'UTF-8, UTF-16 or Windows-1252' : 'UTF-8';
  const message = `The charset ${JSON.stringify(charset.slice(0, 40))} is not supported. Send ${encodings}.`;
  throw new AppError('content_type_unsupported', { message });
}

function columnsIn(text: string | undefined, faults: QueryFaults): ColumnNames {
  if (text === undefined) return new Map();
  const input = objectIn(text);
  if (!isStorableJson(input)) {
    faults.add('columns', 'malformed', 'has characters that cannot be stored');
    return new Map();
  }
  const entries = Object.entries(input ?? { '': 0 });
  if (entries.every((entry): entry is [string, string | null] => entry[1] === null || typeof entry[1] === 'string'))
    return new Map(entries.map(([name, field]) => [name.trim(), field?.trim() ?? null]));
  faults.add('columns', 'malformed', 'must be a JSON object of columns, each with its field, or null');
  return new Map();
}
