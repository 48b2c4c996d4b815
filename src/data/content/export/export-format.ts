import { copyRounded, parseJson, stringifyJson } from '../../../kernel/text/json-numbers.js';
import { fieldType } from '../../model/field-types.js';
import type { ExportFormat } from '../request/list-query.types.js';
import { FOR_GETTERS, type PlannedRecord } from '../plan/query-plan.types.js';
import { withEscape } from './formulas.js';

/** Writes records, each of which is JSON as it is answered, in some form. */
export interface ExportForm {
  readonly type: string;
  /** Text before the first record. */
  readonly head: string;
  /** Returns some records, of which the first one of all is told apart. */
  readonly lines: (records: readonly string[], isFirst: boolean) => string;
  readonly tail: string;
}

/** Options for the text of a cell. */
export interface CsvOptions {
  /** Whether text that a spreadsheet would compute is made harmless by an apostrophe before it. */
  readonly escapesFormulas: boolean;
}

/** Returns how records of a plan are written. */
export function exportForm(format: ExportFormat, record: PlannedRecord, options: CsvOptions): ExportForm {
  if (format === 'csv') return csvForm(record, options);
  if (format === 'ndjson')
    return { type: 'application/x-ndjson', head: '', lines: (records) => `${records.join('\n')}\n`, tail: '' };
  const lines = (records: readonly string[], isFirst: boolean): string =>
    `${isFirst ? '' : ',\n'}${records.join(',\n')}`;
  return { type: 'application/json; charset=utf-8', head: '[', lines, tail: ']\n' };
}

/** A column, by the way to its value. */
interface Column {
  readonly path: readonly string[];
  /** Whether every value is written as JSON, a text too: `5` and `"5"` are two values. */
  readonly isJson: boolean;
}

/** Returns the form of CSV as RFC 4180 has it, with a header: a column for each value, of relations to one too, by its path. */
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

/** Returns the columns of an export. What is a list, of relations to many or by its type, is one column of JSON. */
function columnsOf({ columns, getters, relations }: PlannedRecord, before: readonly string[] = []): readonly Column[] {
  const own = columns.filter(({ name }) => !name.startsWith(FOR_GETTERS));
  const names = new Set([...own, ...getters].map(({ name }) => name));
  const texts = new Set(own.filter(({ type }) => fieldType(type).family === 'json').map(({ name }) => name));
  const expanded = relations.flatMap(({ name, many, record }) =>
    many ? [{ path: [...before, name], isJson: false }] : columnsOf(record, [...before, name]),
  );
  return [...[...names].map((name) => ({ path: [...before, name], isJson: texts.has(name) })), ...expanded];
}

/**
 * Returns a cell of CSV. What has no value is an empty cell, an empty text is one in quotes; a number is as the database has it, of
 * any length.
 */
function cellAt(record: unknown, { path, isJson }: Column, { escapesFormulas }: CsvOptions): string {
  const name = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce<unknown>((value, step) => membersOf(value)[step], record);
  const value = membersOf(holder)[name];
  if (value === null || value === undefined) return '';
  if (isJson || typeof value !== 'string') {
    const member = stringifyJson(copyRounded(membersOf(holder), { [name]: value }));
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
