import { copyRounded, parseJson, stringifyJson } from '../../../kernel/text/json.js';
import { fieldType } from '../../model/field-types.js';
import type { ExportFormat, ExportQuery } from '../request/list-query.types.js';
import { FOR_GETTERS, type PlannedRecord } from '../plan/query-plan.types.js';

export interface ExportForm {
  readonly type: string;
  readonly head: string;
  readonly lines: (records: readonly string[], isFirst: boolean) => string;
  readonly tail: string;
}

type CsvOptions = Pick<ExportQuery, 'escapesFormulas'>;

export function exportForm(format: ExportFormat, record: PlannedRecord, options: CsvOptions): ExportForm {
  if (format === 'csv') return csvForm(record, options);
  if (format === 'ndjson')
    return { type: 'application/x-ndjson', head: '', lines: (records) => `${records.join('\n')}\n`, tail: '' };
  const lines = (records: readonly string[], isFirst: boolean): string =>
    `${isFirst ? '' : ',\n'}${records.join(',\n')}`;
  return { type: 'application/json; charset=utf-8', head: '[', lines, tail: ']\n' };
}

interface Column {
  readonly path: readonly string[];
  /** Whether every value is written as JSON, so that `5` and `"5"` differ. */
  readonly isJson: boolean;
}

/** CSV with a header row (RFC 4180). Each value has a column; values of to-one relations are named by path. */
function csvForm(record: PlannedRecord, options: CsvOptions): ExportForm {
  const columns = columnsOf(record);
  const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;
  return {
    type: 'text/csv; charset=utf-8; header=present',
    head: line(columns.map(({ path }) => textCell(path.join('.')))),
    lines: (records) => {
      const values = records.map((one) => parseJson(one));
      return values.map((value) => line(columns.map((column) => cellAt(value, column, options)))).join('');
    },
    tail: '',
  };
}

/** Lists, from to-many relations or list types, become one JSON column. */
function columnsOf({ columns, getters, relations }: PlannedRecord, before: readonly string[] = []): readonly Column[] {
  const own = columns.filter(({ name }) => !name.startsWith(FOR_GETTERS));
  const names = new Set([...own, ...getters].map(({ name }) => name));
  const texts = new Set(own.filter(({ type }) => fieldType(type).family === 'json').map(({ name }) => name));
  const expanded = relations.flatMap(({ name, many, record }) =>
    many ? [{ path: [...before, name], isJson: false }] : columnsOf(record, [...before, name]),
  );
  return [...[...names].map((name) => ({ path: [...before, name], isJson: texts.has(name) })), ...expanded];
}

/** Returns a CSV cell. Null is an empty cell, and an empty string is `""`. Numbers keep the precision of the database. */
function cellAt(record: unknown, { path, isJson }: Column, { escapesFormulas }: CsvOptions): string {
  const name = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce<unknown>((value, step) => membersOf(value)[step], record);
  const value = membersOf(parent)[name];
  if (value === null || value === undefined) return '';
  if (isJson || typeof value !== 'string') {
    const member = stringifyJson(copyRounded(membersOf(parent), { [name]: value }));
    return textCell(member.slice(JSON.stringify(name).length + 2, -1));
  }
  return textCell(escapesFormulas ? withEscape(value) : value);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}

const QUOTED = /[",\r\n]|^\s|\s$|^$/;

function textCell(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Text that spreadsheets interpret as a formula, also after spaces and with full-width characters. */
const FORMULA = /^'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/u;

/**
 * Adds an apostrophe to text that a spreadsheet would evaluate. Text that already starts with an apostrophe gets a second one, so that
 * {@link withoutEscape} restores the original.
 */
export function withEscape(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function withoutEscape(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
