import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../kernel/limits.js';

export interface RowFault extends FieldFault {
  /** Position of the record: index in a list, line of NDJSON, or row of CSV, in which the header is row 1. */
  readonly row: number;
}

const MAX_LISTED = defineLimit(1_000, 'Imports', 'errors that the response of an import lists', null);

export class ImportFaults {
  private listed: RowFault[] = [];
  private readonly recent = new Set<string>();
  private readonly recentRows = new Set<number>();
  private total = 0;
  private blank = 0;

  /**
   * @param file the field name for errors of a whole record.
   * @param maxListed maximum number of errors reported. Further errors are only counted.
   */
  constructor(
    readonly file: string,
    private readonly maxListed = MAX_LISTED,
  ) {}

  /** Adds an error. Only the first error of each field of a row is kept. */
  add(row: number, { field, code, message }: FieldFault): void {
    const key = `${row} ${field}`;
    if (this.recent.has(key)) return;
    this.recent.add(key);
    this.recentRows.add(row);
    this.total += 1;
    if (this.listed.length < this.maxListed) this.listed.push({ row, field: field.slice(0, 200), code, message });
  }

  noteBlank(): void {
    this.blank += 1;
  }

  drainBlank(): number {
    const drained = this.blank;
    this.blank = 0;
    return drained;
  }

  has(row: number): boolean {
    return this.recentRows.has(row);
  }

  addToRow(row: number, code: string, message: string): void {
    this.add(row, { field: this.file, code, message });
  }

  addRefusal(row: number, { code, message, details }: AppError): void {
    const { errors = [] } = details as { readonly errors?: readonly FieldFault[] };
    for (const fault of errors) this.add(row, fault);
    if (errors.length === 0) this.addToRow(row, code === 'field_invalid' ? 'value_invalid' : code, message);
  }

  /** Forgets the rows so far. They must not receive further errors. */
  clearRecent(): void {
    this.recent.clear();
    this.recentRows.clear();
  }

  drain(): readonly RowFault[] {
    const drained = this.listed;
    this.listed = [];
    this.clearRecent();
    return drained;
  }

  /**
   * @param rows number of records read.
   * @throws AppError `import_invalid` with the first errors and their total number.
   */
  assertNone(rows: number): void {
    if (this.total === 0) return;
    const errors = this.listed.toSorted((one, other) => one.row - other.row);
    throw new AppError('import_invalid', { details: { errors, total: this.total, rows } });
  }
}
