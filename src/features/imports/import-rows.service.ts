import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type RowFault, withEscape } from '../../data/content/content.public.js';
import type { StagedChunk, StampedRecord } from '../../data/content/import/import-steps.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { toStorable } from '../../kernel/text/storable-text.js';
import type { FaultPage, ImportFaultResponse } from './record-imports.dto.js';

export interface ImportChunk<Content = string> {
  readonly n: number;
  readonly rows: number;
  readonly content: Content;
}

/** Chunks per transaction. More would make others wait longer for a lock on the records. */
export const CHUNKS = 10;
/** Errors per page. */
const PAGE = 1_000;

/**
 * Each chunk is a separate parameter. As elements of an array parameter they would be escaped and parsed again, character by character.
 */
const insertChunks = (chunks: number): string => `INSERT INTO record_import_chunks (import_id, n, rows, body)
  SELECT $1, c.* FROM unnest($2::int[], $3::int[], ARRAY[${Array.from({ length: chunks }, (_, at) => `$${at + 4}`).join(', ')}]::text[]) AS c`;
const BODIES = `SELECT n, rows, body AS content FROM record_import_chunks
  WHERE import_id = $1 AND n >= $2 AND body IS NOT NULL ORDER BY n LIMIT ${CHUNKS}`;
const CREATED_ROWS = `SELECT n, rows, made AS content FROM record_import_chunks
  WHERE import_id = $1 AND made IS NOT NULL ORDER BY n DESC LIMIT ${CHUNKS}`;
const BOOK = `UPDATE record_import_chunks c SET body = NULL, made = w.made
  FROM jsonb_to_recordset($2::jsonb) AS w (n integer, made jsonb) WHERE c.import_id = $1 AND c.n = w.n`;
const ADD_FAULTS = `WITH added AS (INSERT INTO record_import_faults (import_id, "row", field, code, message, step)
    SELECT $1, f."row", f.field, f.code, f.message, $2
    FROM jsonb_to_recordset($3::jsonb) AS f ("row" integer, field text, code text, message text)
    ON CONFLICT DO NOTHING RETURNING 1)
  SELECT count(*)::int AS count FROM added`;
const LIST_FAULTS = `SELECT "row", field, code, message FROM record_import_faults
  WHERE import_id = $1 AND ("row", field) > ($2::int, $3::text) ORDER BY "row", field LIMIT ${PAGE}`;

/** Start of a page: after this error. */
const START = { row: -1, field: '' };

/** The rows of imports that are not written yet, the records that were created from the others, and the errors of rows. */
@Injectable()
export class ImportRows {
  constructor(private readonly dataSource: DataSource) {}

  async add(manager: EntityManager, id: string, from: number, chunks: readonly StagedChunk[]): Promise<void> {
    if (chunks.length === 0) return;
    const columns = [chunks.map((_chunk, at) => from + at), chunks.map(({ rows }) => rows)];
    await manager.query(insertChunks(chunks.length), [id, ...columns, ...chunks.map(({ text }) => text)]);
  }

  /** Returns the next chunks that are not written. */
  bodies(id: string, from = 0, manager = this.dataSource.manager): Promise<readonly ImportChunk[]> {
    return manager.query(BODIES, [id, from]);
  }

  /** Returns the last chunks of records that the import created and has not deleted again. */
  made(manager: EntityManager, id: string): Promise<readonly ImportChunk<readonly StampedRecord[]>[]> {
    return manager.query(CREATED_ROWS, [id]);
  }

  /** Replaces the rows of chunks by the records that were created from them; null for none. */
  async book(
    manager: EntityManager,
    id: string,
    chunks: readonly { readonly n: number; readonly made: readonly StampedRecord[] | null }[],
  ): Promise<void> {
    await manager.query(BOOK, [id, JSON.stringify(chunks)]);
  }

  /** Returns the number of errors that were not stored before. */
  async addFaults(
    manager: EntityManager,
    id: string,
    step: 'read' | 'check' | 'apply' | 'undo',
    faults: readonly RowFault[],
  ): Promise<number> {
    if (faults.length === 0) return 0;
    // A column name of the file may contain characters that PostgreSQL cannot store.
    const storable = (_key: string, value: unknown) => (typeof value === 'string' ? toStorable(value) : value);
    const values = [id, step, JSON.stringify(faults, storable)];
    return (await manager.query<[{ count: number }]>(ADD_FAULTS, values))[0].count;
  }

  /** Deletes the errors that a check would find again, and returns their number. */
  async dropFaults(manager: EntityManager, id: string): Promise<number> {
    const deletion = `DELETE FROM record_import_faults WHERE import_id = $1 AND step <> 'read'`;
    return (await manager.query<[unknown[], number]>(deletion, [id]))[1];
  }

  /** @throws AppError `validation_failed` for an invalid cursor. */
  async faultPage(id: string, total: number, cursor: string | undefined): Promise<FaultPage> {
    const items = await this.faultsAfter(id, cursor === undefined ? START : positionOf(cursor));
    const last = items.at(-1);
    const isFull = items.length === PAGE && last !== undefined;
    return { items, total, next_cursor: isFull ? `${last.row}:${last.field}` : null };
  }

  async *faultFile(id: string): AsyncGenerator<string> {
    yield 'row,field,code,message\r\n';
    let position = START;
    for (;;) {
      const faults = await this.faultsAfter(id, position);
      const last = faults.at(-1);
      if (last === undefined) return;
      yield faults.map(lineOf).join('');
      position = last;
    }
  }

  private faultsAfter(id: string, { row, field }: typeof START): Promise<ImportFaultResponse[]> {
    return this.dataSource.query<ImportFaultResponse[]>(LIST_FAULTS, [id, row, field]);
  }
}

function positionOf(cursor: string): typeof START {
  const [, row, field = ''] = /^(\d{1,9}):(.*)$/s.exec(cursor) ?? [];
  if (row !== undefined) return { row: Number(row), field };
  throw AppError.validation([{ field: 'cursor', code: 'value_invalid', message: 'is not a cursor of this list' }]);
}

function lineOf({ row, field, code, message }: ImportFaultResponse): string {
  const cells = [field, code, message].map((text) => `"${withEscape(text).replaceAll('"', '""')}"`);
  return `${[row, ...cells].join(',')}\r\n`;
}
