import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Content } from '../../data/content/content.service.js';
import { SchemaSnapshots } from '../../data/schema/schema-snapshots.service.js';
import { findSchema } from '../../data/schema/schema.public.js';
import { AppError } from '../../kernel/app-error.js';
import type { Principal } from '../../kernel/principal.types.js';
import { FILE_SCHEMA } from './file.schema.js';

/** Where a file belongs: a field of a record. */
export interface LinkTarget {
  readonly schema: string;
  readonly record: string;
  readonly field: string;
}

/** Links a new file to the record for which it was sent. */
@Injectable()
export class UploadLinks {
  constructor(
    private readonly content: Content,
    private readonly snapshots: SchemaSnapshots,
  ) {}

  /**
   * Writes the link as a change of the record by the principal: in a field of one file in place of the one before, in one of several
   * behind the others.
   *
   * @throws AppError what a change of the record throws.
   */
  async link(manager: EntityManager, principal: Principal, target: LinkTarget, fileId: string): Promise<void> {
    const { schema, record, field } = target;
    const value = this.isMany(target) ? { $add: [{ id: fileId }] } : { id: fileId };
    const records = this.content.as(principal).in(manager).schema(schema);
    await records.update(record, { [field]: value } as never);
  }

  /** What is no field of files is for the change of the record to refuse, unless it would link something else. */
  private isMany({ schema, field }: LinkTarget): boolean {
    const found = findSchema(this.snapshots.current, schema)?.fields[field];
    if (found === undefined) return false;
    const leadsToFiles = found.kind === 'relation' && found.target === FILE_SCHEMA.definition.name;
    if (!leadsToFiles) throw unknownField(field);
    return found.many;
  }
}

function unknownField(field: string): AppError {
  const errors = [{ field: field.slice(0, 100), code: 'unknown_field', message: 'is no field that can be written' }];
  return new AppError('field_invalid', { details: { errors } });
}
