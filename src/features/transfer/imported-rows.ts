import type { EntityManager } from 'typeorm';
import type { ExportEntry } from './export-stream.js';
import { quoted, readSequences, readTables, type StoredSequence, type StoredTable } from './moved-tables.js';
import { TransferError } from './transfer.errors.js';

/** `left`: tables that an export does not contain. `away`: tables whose rows are skipped in this import. */
interface Staying {
  readonly left: ReadonlySet<string>;
  readonly away: ReadonlySet<string>;
}

/** Approximate size of one statement. */
const BATCH_LENGTH = 1024 * 1024;
const BATCH_ROWS = 1_000;

/** Writes the rows of an export in batches, in the caller's transaction. */
export class ImportedRows {
  readonly names = new Set<string>();
  private tables: ReadonlyMap<string, StoredTable> = new Map();
  private sequences: readonly StoredSequence[] = [];
  private table: { readonly name: string; readonly insert: string } | null = null;
  private waiting: string[] = [];
  private length = 0;
  private rows = 0;
  private skippedRows = 0;

  constructor(
    private readonly manager: EntityManager,
    private readonly staying: Staying,
  ) {}

  get counts(): { readonly tables: number; readonly rows: number; readonly left: number } {
    return { tables: this.names.size, rows: this.rows, left: this.skippedRows };
  }

  async learn(): Promise<void> {
    this.tables = new Map((await readTables(this.manager)).map((table) => [table.name, table]));
    this.sequences = await readSequences(this.manager);
  }

  /**
   * Adds an entry. Rows are written in batches, the last one by {@link flush}.
   *
   * @throws TransferError for an unexpected entry.
   */
  async addEntry(entry: ExportEntry): Promise<void> {
    if (entry.kind === 'row') return this.add(entry.text, entry.line);
    await this.flush();
    this.table = entry.kind === 'table' ? { name: entry.name, insert: this.insertInto(entry) } : null;
    if (entry.kind === 'sequence') await this.restart(entry);
    if (entry.kind === 'header') throw new TransferError('The export has two headers.');
  }

  private async add(text: string, line: number): Promise<void> {
    if (this.table === null) throw new TransferError(`Line ${line} of the export is a row outside a table.`);
    if (this.staying.away.has(this.table.name)) {
      this.skippedRows += 1;
      return;
    }
    this.waiting.push(text);
    this.length += text.length;
    if (this.waiting.length >= BATCH_ROWS || this.length >= BATCH_LENGTH) await this.flush();
  }

  /** Writes the pending rows. Call it after the last entry. */
  async flush(): Promise<void> {
    const { waiting, table } = this;
    if (table === null || waiting.length === 0) return;
    await this.manager.query(table.insert, [`[${waiting.join(',')}]`]);
    this.rows += waiting.length;
    this.waiting = [];
    this.length = 0;
  }

  private insertInto({ name, columns }: Extract<ExportEntry, { readonly kind: 'table' }>): string {
    const table = this.staying.left.has(name) ? undefined : this.tables.get(name);
    if (table === undefined)
      throw new TransferError(
        `The export has rows of ${name}, and this application has no such table. Import it with the application that created it.`,
      );
    if (this.names.has(name) || new Set(columns).size !== columns.length || columns.length === 0)
      throw new TransferError(`The export contains the rows of ${name} twice.`);
    this.names.add(name);
    const values = columns.map((column, at) => {
      const type = table.types[table.columns.indexOf(column)];
      if (type === undefined)
        throw new TransferError(
          `The export has a column ${column} of ${name}, and this application has no such column. Import it with the application that created it.`,
        );
      return `(r->>${at})::${type}`;
    });
    return `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) OVERRIDING SYSTEM VALUE
      SELECT ${values.join(', ')} FROM jsonb_array_elements($1::jsonb) AS given(r)`;
  }

  /** Unlike `setval`, this is rolled back with the transaction. */
  private async restart(entry: Extract<ExportEntry, { readonly kind: 'sequence' }>): Promise<void> {
    const found = this.sequences.find(({ table, column }) => table === entry.table && column === entry.column);
    if (found === undefined || this.staying.left.has(entry.table))
      throw new TransferError(
        `${entry.column} of ${entry.table} has a sequence in the export, but not in this application.`,
      );
    await this.manager.query(`ALTER SEQUENCE ${quoted(found.sequence)} RESTART WITH ${entry.next}`);
  }
}
