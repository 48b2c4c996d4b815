import { Inject, Injectable } from '@nestjs/common';
import { type GatedStatement, RecordGate } from '../../../data/content/record-gate.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal } from '../../../kernel/principal.types.js';
import { isUuid } from '../../../kernel/keys/random.js';
import type { ImageSize } from '../../../kernel/schema-definition.types.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import type { ReadableFile } from '../file-objects.service.js';
import { invalidField } from '../files.dto.js';

export interface FoundFile {
  readonly file: ReadableFile;
  /** The requested size; null for the original. */
  readonly size: ImageSize | null;
}

/**
 * Finds files that the caller can read. The caller needs `get` on the file's record, or read access to a record and its field that links
 * the file.
 */
@Injectable()
export class FileReading {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly gate: RecordGate,
  ) {}

  /**
   * Returns a file with one statement that applies the current rules. `sizeName` is a size of a readable field that links the file, or a
   * global size.
   *
   * @throws AppError `file_held` before the scan; `file_not_found` for a missing or unreadable file; `validation_failed` for an unknown
   * size.
   */
  async get(principal: Principal, id: string, sizeName: string | null = null): Promise<FoundFile> {
    let sizes: readonly FieldSize[] = [];
    const rows = isUuid(id)
      ? await this.gate.reachable(principal, 'file', (statement) => {
          const { row, where, parameter } = statement;
          sizes = sizeName === null ? [] : sizesNamed(statement, sizeName);
          const columns = `o.id, ${row}.name, o.type, o.recognised, o.size, o.sha256, o.held, ${firstOf(sizes)}`;
          const object = `JOIN file_objects o ON o.file_id = ${row}.id AND o.state = 'live'`;
          return `SELECT ${columns} FROM files ${row} ${object} WHERE ${row}.id = ${parameter(id, 'uuid')} AND ${where}`;
        })
      : [];
    const [found] = rows;
    if (found === undefined) throw new AppError('file_not_found');
    const [objectId, name, type, recognised, size, sha256, held, location] = found;
    if (held === 't') throw new AppError('file_held');
    const file = {
      id,
      objectId: objectId ?? '',
      name: name ?? '',
      type: type ?? '',
      recognised: recognised ?? null,
      size: Number(size),
      sha256: sha256 ?? '',
    };
    return { file, size: sizeName === null ? null : (sizes[Number(location ?? -1)]?.size ?? this.ownSize(sizeName)) };
  }

  private ownSize(name: string): ImageSize {
    const size = this.config.files.sizes.get(name);
    if (size !== undefined) return size;
    throw invalidField('size', 'value_invalid', 'is not a defined size');
  }
}

interface FieldSize {
  readonly size: ImageSize;
  /** SQL condition: the caller can read the file over the field. */
  readonly applies: string;
}

/** Returns the sizes with a name. A size must not reveal a link that the principal cannot see. */
function sizesNamed({ schema, snapshot, linkedOver }: GatedStatement, name: string): readonly FieldSize[] {
  return Object.values(schema.fields).flatMap((field): FieldSize[] => {
    const back = field.kind === 'relation' ? snapshot.schemas[field.target]?.fields[field.backField] : undefined;
    const sizes = back?.kind === 'relation' ? (back.file?.sizes ?? {}) : {};
    const size = Object.hasOwn(sizes, name) ? sizes[name] : undefined;
    return size === undefined ? [] : [{ size, applies: linkedOver(field) }];
  });
}

/** SQL for the index of the first size that applies, or NULL. */
function firstOf(sizes: readonly FieldSize[]): string {
  const cases = sizes.map(({ applies }, at) => `WHEN ${applies} THEN ${at}`);
  return cases.length === 0 ? 'NULL' : `CASE ${cases.join(' ')} END`;
}
