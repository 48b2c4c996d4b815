import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Fault of a record of a file. */
export interface RowFault extends FieldFault {
  /** Place of the record: in a list, by its line of NDJSON, or by its row of CSV, in which the names are row 1. */
  readonly row: number;
}

/** Number of faults that are told; the others are counted. */
const MOST_TOLD = defineLimit(1_000, 'Imports', 'errors that the answer of an import lists', null);

/** The faults of an import, gathered so that all are told at once. */
export class ImportFaults {
  private told: RowFault[] = [];
  private readonly recent = new Set<string>();
  private readonly recentRows = new Set<number>();
  private total = 0;
  private blank = 0;

  /**
   * @param whole the name under which a record itself is told of.
   * @param most how many are told; the others are counted.
   */
  constructor(
    readonly whole: string,
    private readonly most = MOST_TOLD,
  ) {}

  /** Notes a fault; of each field of a row the first one. */
  add(row: number, { field, code, message }: FieldFault): void {
    const key = `${row} ${field}`;
    if (this.recent.has(key)) return;
    this.recent.add(key);
    this.recentRows.add(row);
    this.total += 1;
    if (this.told.length < this.most) this.told.push({ row, field: field.slice(0, 200), code, message });
  }

  /** Counts a row in which every cell is empty. */
  noteBlank(): void {
    this.blank += 1;
  }

  /** Returns how many rows with empty cells only were counted, and counts from zero again. */
  takeBlank(): number {
    const taken = this.blank;
    this.blank = 0;
    return taken;
  }

  /** Returns whether something was noted of a row since it went on to it. */
  has(row: number): boolean {
    return this.recentRows.has(row);
  }

  /** Notes a fault of a record itself. */
  addWhole(row: number, code: string, message: string): void {
    this.add(row, { field: this.whole, code, message });
  }

  /** Notes why a record was refused: field by field where that is known. */
  addRefusal(row: number, { code, message, details }: AppError): void {
    const { errors = [] } = details as { readonly errors?: readonly FieldFault[] };
    for (const fault of errors) this.add(row, fault);
    if (errors.length === 0) this.addWhole(row, code === 'field_invalid' ? 'value_invalid' : code, message);
  }

  /** Goes on to other rows: nothing more is noted of those before. */
  goOn(): void {
    this.recent.clear();
    this.recentRows.clear();
  }

  /** Returns what was noted, for who keeps it, and goes on to other rows. */
  take(): readonly RowFault[] {
    const taken = this.told;
    this.told = [];
    this.goOn();
    return taken;
  }

  /**
   * Ends an import with faults.
   *
   * @param rows how many records were looked at.
   * @throws AppError `import_invalid` with the first of them, and how many there are.
   */
  assertNone(rows: number): void {
    if (this.total === 0) return;
    const errors = this.told.toSorted((one, other) => one.row - other.row);
    throw new AppError('import_invalid', { details: { errors, total: this.total, rows } });
  }
}
