import { AppError } from '../../kernel/app-error.js';
import type { RecordRow } from '../answer/list-answer.js';
import { entityTag } from '../answer/write-answer.js';
import { withGetters } from '../answer/with-getters.js';
import type { SchemaContext } from '../content-context.service.js';
import { planRecord } from '../plan/plan-list.js';
import type { PlannedRecord } from '../plan/query-plan.types.js';
import { renderRecordQuery } from '../render/render-query.js';
import type { RecordQuery } from '../request/list-query.types.js';
import { WriteResolver } from '../resolve/resolve-write.js';
import { WriteFaults } from '../resolve/write-faults.js';
import type { RecordWrite, WriteMode } from '../resolve/write.types.js';
import { type LockedRecord, run } from './record-writer.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** What is answered of a written record. */
export interface WrittenQuery extends RecordQuery {
  /** True where nothing but its version is wanted. */
  readonly isMinimal: boolean;
}

const NOTHING: PlannedRecord = { columns: [], relations: [], getters: [] };

/** A written record as the principal may see it; its key alone where it may not. */
export async function writtenRecord(
  transaction: WriteTransaction,
  context: SchemaContext,
  query: WrittenQuery,
  id: string,
): Promise<RecordRow> {
  const { schema, access, fields } = context;
  const unseen = { item: JSON.stringify({ [schema.primaryField]: id }), version: '' };
  if (access(schema, 'get').grants.length === 0) return unseen;
  const plan = planRecord(schema, id, query, fields);
  if (plan === null) return unseen;
  const record = query.isMinimal ? NOTHING : plan.record;
  const [row] = await run<RecordRow>(transaction, renderRecordQuery({ ...plan, record }));
  if (row === undefined) return unseen;
  return { item: withGetters(row.item, record, context), version: row.version };
}

/** @throws AppError `record_changed` where the entity tags of `If-Match` name another version (RFC 9110 §13.1.1). */
export function assertUnchanged({ version }: LockedRecord, ifMatch: string | null): void {
  const accepted = ifMatch?.split(',').map((tag) => tag.trim()) ?? ['*'];
  if (!accepted.includes('*') && !accepted.includes(entityTag(version))) throw new AppError('record_changed');
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
