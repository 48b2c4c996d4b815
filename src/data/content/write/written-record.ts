import { memoize } from '../../../kernel/memoize.js';
import { isDeepStrictEqual } from 'node:util';
import { versionTags } from '../../../platform/http/http.public.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { type RecordRow, versionInTag, withGetters, type WrittenRow } from '../answers.js';
import type { SchemaContext } from '../content-context.service.js';
import { RecordPlanner } from '../plan/plan-record.js';
import { EMPTY_RECORD } from '../plan/query-plan.types.js';
import type { ResponsePlan } from '../plan/plan-write.js';
import { renderRecords } from '../render/render-query.js';
import { parseRecordQuery } from '../request/parse-list-query.js';
import { QueryFaults } from '../request/query-faults.js';
import { isLasting, type CachedAccess, cachedAccess } from '../resolve/content-access.js';
import { type AccessLookup, NEVER } from '../resolve/conditions.js';
import { readsRecord, keyOf } from '../resolve/sql-values.js';
import { FieldResolver } from '../resolve/field-resolver.js';
import { WriteResolver } from '../resolve/writes/resolve-write.js';
import { WriteFaults } from '../resolve/writes/write-faults.js';
import type { RecordWrite, WriteMode } from '../resolve/writes/record-write.js';
import { type LockedRecord, run, type WriteTransaction } from './transaction/in-transaction.js';
import type { WriteRequest } from './write-request.js';

/** Returns a written record as the principal can see it; only its key if it is not visible. */
export async function writtenRecord(
  transaction: WriteTransaction,
  context: SchemaContext,
  plan: ResponsePlan,
  id: string,
): Promise<WrittenRow> {
  const [row] = await writtenRecords(transaction, context, plan, [id]);
  return row ?? rowOfKey(context.schema, id);
}

export async function writtenRecords(
  transaction: WriteTransaction,
  context: SchemaContext,
  { visible, record }: ResponsePlan,
  ids: readonly string[],
): Promise<readonly WrittenRow[]> {
  const { schema } = context;
  const query = { table: schema.table.name, where: visible, record };
  const rows =
    visible === NEVER
      ? []
      : await run<RecordRow & { id: string }>(transaction, renderRecords(query, keyOf(schema), ids));
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = found.get(id);
    const unseen = rowOfKey(schema, id);
    return row ? { ...unseen, item: withGetters(row.item, record, context), version: row.version } : unseen;
  });
}

/**
 * Returns true if previously returned records are still visible. Expanded relations, guarded fields and looked-up keys must also have the
 * same values as before.
 *
 * @param answered records as they were returned.
 * @param keys their keys, from {@link rowOfKey}. Entries that are not records are skipped.
 */
export async function areVisible(
  transaction: WriteTransaction,
  context: SchemaContext,
  plan: ResponsePlan,
  answered: readonly unknown[],
  keys: readonly unknown[],
): Promise<boolean> {
  const { primaryField } = context.schema;
  const returned = answered.flatMap((record, at) => {
    const id = (Object(keys[at]) as Record<string, unknown>)[primaryField];
    return typeof id === 'string' ? [{ id, record }] : [];
  });
  if (returned.length === 0) return true;
  const ids = returned.map(({ id }) => id);
  const { relations, columns } = plan.record;
  const computedColumns = columns.filter(({ operand }) => operand.kind !== 'column' || operand.guard !== null);
  const names = [...computedColumns, ...relations].map(({ name }) => name);
  const rows = await writtenRecords(transaction, context, plan, ids);
  return rows.every(({ version, item }, at) => {
    const exists = version !== '';
    return (
      exists &&
      (names.length === 0 || isDeepStrictEqual(only(names, JSON.parse(item)), only(names, returned[at]?.record)))
    );
  });
}

function only(names: readonly string[], record: unknown): readonly unknown[] {
  return names.map((name) => (Object(record) as Record<string, unknown>)[name]);
}

export function rowOfKey({ primaryField }: LinkedSchema, id: string): WrittenRow {
  const key = JSON.stringify({ [primaryField]: id });
  return { id, key, item: key, version: '' };
}

/** Plans the response record of a write. Throws `query_invalid` with all errors. */
export function planResponse(context: SchemaContext, { query, prefer }: WriteRequest): ResponsePlan {
  const plan = Object.keys(query).length === 0 ? planDefaultResponse(context) : planRequestedResponse(context, query);
  return prefer === 'minimal' ? { ...plan, record: EMPTY_RECORD } : plan;
}

function planRequestedResponse(context: SchemaContext, raw: WriteRequest['query']): ResponsePlan {
  const { schema, access, fields, limits } = context;
  const faults = new QueryFaults(limits);
  const query = parseRecordQuery(raw, faults);
  const isOpen = access(schema, 'get').grants.length > 0;
  const record = isOpen ? new RecordPlanner(fields, query, faults).plan(schema, 'get', 1) : EMPTY_RECORD;
  faults.assertNone();
  return { visible: isOpen ? fields.visible(schema, 'get', query.withDeleted) : NEVER, record };
}

const plansBySchema = memoize((_access: CachedAccess) => new Map<string, ResponsePlan>());

/** Plans the default response. It is cached unless a rule that depends on the account or the time was used. */
export function planDefaultResponse(context: SchemaContext): ResponsePlan {
  const { schema, snapshot, permissions, auth } = context;
  const plans = plansBySchema(cachedAccess(permissions, snapshot));
  const cached = plans.get(schema.name);
  if (cached !== undefined) return cached;
  let isCacheable = true;
  const access: AccessLookup = (other, action) => {
    const opened = context.access(other, action);
    isCacheable &&= isLasting(context, other, action);
    return opened;
  };
  const fields = new FieldResolver(snapshot, access, auth.id);
  const plan = planRequestedResponse({ ...context, access, fields }, {});
  if (isCacheable) plans.set(schema.name, plan);
  return plan;
}

/**
 * Returns the versions in `If-Match`; null for any. Unlike RFC 9110 §13.1.1, weak tags are accepted: a compressing proxy weakens every tag,
 * and the row version in it is still exact.
 */
export function acceptedVersions(ifMatch: string | null): readonly string[] | null {
  return ifMatch === null ? null : (versionTags(ifMatch)?.map(versionInTag) ?? null);
}

/** Resolves a body to a write. Throws `field_invalid` with all errors. */
export function resolveBody(
  context: SchemaContext,
  mode: WriteMode,
  body: unknown,
  locked?: LockedRecord,
): RecordWrite {
  const { write, faults } = readBody(context, mode, body, locked);
  faults.assertNone();
  return write;
}

/** Resolves a body to a write and its errors. Invalid parts are omitted from the write. */
export function readBody(
  context: SchemaContext,
  mode: WriteMode,
  body: unknown,
  locked?: LockedRecord,
): { readonly write: RecordWrite; readonly faults: WriteFaults } {
  const faults = new WriteFaults();
  const task = { schema: context.schema, mode, body, current: locked?.values, location: '' };
  return { write: new WriteResolver(context, faults).resolve(task), faults };
}

/** Returns the write for a locked record, reusing an earlier read of the body. Throws the errors of {@link resolveBody}. */
export function resolveLocked(
  context: SchemaContext,
  mode: WriteMode,
  body: unknown,
  { read, locked }: { readonly read: ReturnType<typeof readBody>; readonly locked: LockedRecord },
): RecordWrite {
  if (readsRecord(context.schema)) return resolveBody(context, mode, body, locked);
  read.faults.assertNone();
  return read.write;
}

/** Resolves a list of new records. Throws `field_invalid` with all errors and their paths, such as `records[3].title`. */
export function resolveBodies(context: SchemaContext, bodies: readonly unknown[]): readonly RecordWrite[] {
  const faults = new WriteFaults();
  const { schema } = context;
  const writes = bodies.map((body, at) =>
    new WriteResolver(context, faults).resolve({ schema, mode: 'create', body, location: `records[${at}].` }),
  );
  faults.assertNone();
  return writes;
}
