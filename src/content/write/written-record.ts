import { AppError } from '../../kernel/app-error.js';
import type { RecordRow } from '../answer/list-answer.js';
import { withGetters } from '../answer/with-getters.js';
import type { SchemaContext } from '../content-context.service.js';
import { planRecord } from '../plan/plan-list.js';
import { renderRecordQuery } from '../render/render-query.js';
import type { RecordQuery } from '../request/list-query.types.js';
import { WriteResolver } from '../resolve/resolve-write.js';
import { WriteFaults } from '../resolve/write-faults.js';
import type { RecordWrite, WriteMode } from '../resolve/write.types.js';
import { type LockedRecord, run } from './record-writer.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** A written record as the principal may see it; its key alone where it may not. */
export async function writtenRecord(
  transaction: WriteTransaction,
  context: SchemaContext,
  query: RecordQuery,
  id: string,
): Promise<RecordRow> {
  const { schema, access, fields } = context;
  const unseen = { item: JSON.stringify({ [schema.primaryField]: id }), version: '' };
  if (access(schema, 'get').grants.length === 0) return unseen;
  const plan = planRecord(schema, id, query, fields);
  const [row] = plan === null ? [] : await run<RecordRow>(transaction, renderRecordQuery(plan));
  if (plan === null || row === undefined) return unseen;
  return { item: withGetters(row.item, plan.record, context), version: row.version };
}

/** @throws AppError `record_changed` where the entity tags of `If-Match` name another version (RFC 9110 §13.1.1). */
export function assertUnchanged({ version }: LockedRecord, ifMatch: string | null): void {
  const accepted = ifMatch?.split(',').map((tag) => tag.trim()) ?? ['*'];
  if (!accepted.includes('*') && !accepted.includes(entityTag(version))) throw new AppError('record_changed');
}

/** The entity tag of a version of a row. */
export function entityTag(version: string): string {
  return `"${version}"`;
}

/** A body as a write. Throws `field_invalid` with everything that is wrong. */
export function resolveBody(
  context: SchemaContext,
  mode: WriteMode,
  body: unknown,
  locked?: LockedRecord,
): RecordWrite {
  const faults = new WriteFaults();
  const write = new WriteResolver(context, faults).resolve({
    schema: context.schema,
    mode,
    body,
    current: locked?.values,
    place: '',
  });
  faults.assertNone();
  return write;
}
