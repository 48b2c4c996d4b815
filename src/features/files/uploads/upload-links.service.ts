import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Content } from '../../../data/content/content.service.js';
import { FileQuotaChecks } from '../../../data/content/content.public.js';
import { linkOver } from '../../../data/model/linked-files.js';
import type { LinkedRelationField, LinkedSchema } from '../../../data/model/schema-model.types.js';
import { SchemaSnapshots } from '../../../data/schema/schema-snapshots.service.js';
import { findSchema } from '../../../data/schema/schema.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal } from '../../../kernel/principal.types.js';
import type { FileFieldDefinition } from '../../../kernel/schema-definition.types.js';
import { type CheckedFile, refusalOf } from './checked-bytes.js';
import { FILE_SCHEMA } from '../file.schema.js';

export interface LinkTarget {
  readonly schema: string;
  readonly record: string;
  readonly field: string;
}

@Injectable()
export class UploadLinks {
  constructor(
    private readonly content: Content,
    private readonly snapshots: SchemaSnapshots,
  ) {}

  /**
   * Links a file by a change of the record as the principal. It replaces the link of a single field, or appends to a list.
   *
   * @throws AppError the errors of a change of the record.
   */
  async link(manager: EntityManager, principal: Principal, target: LinkTarget, fileId: string): Promise<void> {
    const { schema, record, field } = target;
    const value = this.isMany(target) ? { $add: [{ id: fileId }] } : { id: fileId };
    const records = this.content.as(principal).in(manager).schema(schema);
    await records.update(record, { [field]: value } as never);
  }

  /** Returns the rules of a field; null for none, and for a target that the change of the record will refuse. */
  rules(target: LinkTarget | null): FileFieldDefinition | null {
    const found = target && findSchema(this.snapshots.current, target.schema)?.fields[target.field];
    return found?.kind === 'relation' ? (found.file ?? null) : null;
  }

  /** Asserts that all fields that link a file accept it. @throws AppError `file_too_large`, `file_type_not_allowed`. */
  async assertTaken(manager: EntityManager, fileId: string, file: Pick<CheckedFile, 'type' | 'size'>): Promise<void> {
    const { current } = this.snapshots;
    const files = current.schemas[FILE_SCHEMA.definition.name];
    for (const field of Object.values(files?.fields ?? {})) {
      const target = field.kind === 'relation' ? current.schemas[field.target] : undefined;
      const back = field.kind === 'relation' ? target?.fields[field.backField] : undefined;
      if (field.kind !== 'relation' || target === undefined || back?.kind !== 'relation') continue;
      const refusal = refusalOf(back.file ?? null, file);
      if (refusal !== null && (await isLinkedOver(manager, field, target, fileId))) throw refusal;
    }
  }

  /** Asserts the quotas of the fields that link a file. @throws AppError `quota_exceeded`. */
  async assertQuota(manager: EntityManager, fileId: string): Promise<void> {
    const { current } = this.snapshots;
    const files = current.schemas[FILE_SCHEMA.definition.name];
    const quotas = new FileQuotaChecks();
    if (files !== undefined) quotas.changed(current, files, fileId);
    await quotas.settle(manager);
  }

  /**
   * Throws for a field that does not link files. The change of the record refuses unknown fields, but would link a record of another
   * schema.
   */
  private isMany({ schema, field }: LinkTarget): boolean {
    const found = findSchema(this.snapshots.current, schema)?.fields[field];
    if (found === undefined) return false;
    const leadsToFiles = found.kind === 'relation' && found.target === FILE_SCHEMA.definition.name;
    if (!leadsToFiles) throw unknownField(field);
    return found.many;
  }
}

function unknownField(field: string): AppError {
  const message = 'is not a field that you can write';
  return AppError.fieldInvalid([{ field: field.slice(0, 100), code: 'unknown_field', message }]);
}

async function isLinkedOver(
  manager: EntityManager,
  field: LinkedRelationField,
  target: LinkedSchema,
  fileId: string,
): Promise<boolean> {
  const [link] = linkOver(field, target, 'f');
  if (link === undefined) return false;
  const found = await manager.query<unknown[]>(`SELECT 1 FROM files f WHERE f.id = $1 AND ${link}`, [fileId]);
  return found.length > 0;
}
