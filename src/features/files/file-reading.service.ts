import { Injectable } from '@nestjs/common';
import { RecordGate } from '../../data/content/record-gate.service.js';
import { AppError } from '../../kernel/app-error.js';
import type { Principal } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/random.js';
import type { ReadableFile } from './file-answer.js';

/** Finds files that somebody may read: who may `get` their record, or may read a record that links them over a field that they may read. */
@Injectable()
export class FileReading {
  constructor(private readonly gate: RecordGate) {}

  /**
   * Returns a file, by one statement that asks the rules of this very moment.
   *
   * @throws AppError `file_not_found`, the same for what there is not and for what one may not read.
   */
  async get(principal: Principal, id: string): Promise<ReadableFile> {
    const rows = isUuid(id)
      ? await this.gate.reachable(principal, 'file', ({ row, where, parameter }) => {
          const columns = `o.id, ${row}.name, o.type, o.recognised, o.size, o.sha256`;
          const object = `JOIN file_objects o ON o.file_id = ${row}.id AND o.state = 'live'`;
          return `SELECT ${columns} FROM files ${row} ${object} WHERE ${row}.id = ${parameter(id, 'uuid')} AND ${where}`;
        })
      : [];
    const [found] = rows;
    if (found === undefined) throw new AppError('file_not_found');
    const [objectId, name, type, recognised, size, sha256] = found;
    return {
      id,
      objectId: objectId ?? '',
      name: name ?? '',
      type: type ?? '',
      recognised: recognised ?? null,
      size: Number(size),
      sha256: sha256 ?? '',
    };
  }
}
