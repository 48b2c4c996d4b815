import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { withEscape } from '../../data/content/content.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { FaultPage, ToldFault } from './record-imports.dto.js';

const PAGE = 1_000;
const LIST = `SELECT "row", field, code, message FROM record_import_faults
  WHERE import_id = $1 AND ("row", field) > ($2::int, $3::text) ORDER BY "row", field LIMIT $4`;

/** Start of a page: after this error. */
interface Place {
  readonly row: number;
  readonly field: string;
}

const BEGINNING: Place = { row: -1, field: '' };

@Injectable()
export class RecordImportFaults {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @throws AppError `validation_failed` for an invalid cursor. */
  async page(id: string, total: number, cursor: string | undefined): Promise<FaultPage> {
    const items = await this.after(id, cursor === undefined ? BEGINNING : placeOf(cursor));
    const last = items.at(-1);
    const isFull = items.length === PAGE && last !== undefined;
    return { items, total, next_cursor: isFull ? `${last.row}:${last.field}` : null };
  }

  async *file(id: string): AsyncGenerator<string> {
    yield 'row,field,code,message\r\n';
    let place = BEGINNING;
    for (;;) {
      const faults = await this.after(id, place);
      const last = faults.at(-1);
      if (last === undefined) return;
      yield faults.map(lineOf).join('');
      place = last;
    }
  }

  private after(id: string, { row, field }: Place): Promise<ToldFault[]> {
    return this.dataSource.query<ToldFault[]>(LIST, [id, row, field, PAGE]);
  }
}

function placeOf(cursor: string): Place {
  const [, row, field = ''] = /^(\d{1,9}):(.*)$/s.exec(cursor) ?? [];
  if (row !== undefined) return { row: Number(row), field };
  throw AppError.validation([{ field: 'cursor', code: 'value_invalid', message: 'is not a cursor of this list' }]);
}

function lineOf({ row, field, code, message }: ToldFault): string {
  const cells = [field, code, message].map((text) => `"${withEscape(text).replaceAll('"', '""')}"`);
  return `${[row, ...cells].join(',')}\r\n`;
}
