import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../kernel/errors/app-error.js';
import { versionTags } from '../../../platform/http/http.public.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { RecordRow } from '../answer/list-answer.js';
import { withGetters } from '../answer/with-getters.js';
import { versionInTag, type WrittenRow } from '../answer/write-answer.js';
import type { SchemaContext } from '../content-context.service.js';
import { RecordPlanner } from '../plan/plan-record.js';
import type { PlannedRecord } from '../plan/query-plan.types.js';
import type { WrittenAnswer } from '../plan/write-plan.types.js';
import { renderRecords } from '../render/render-query.js';
import { linksOfList } from '../request/content-limits.js';
import type { RecordQuery } from '../request/list-query.types.js';
import { parseRecordQuery } from '../request/parse-list-query.js';
import { SELECT_ALL } from '../request/parse-select.js';
import { QueryFaults } from '../request/query-faults.js';
import { isLasting } from '../resolve/content-access.js';
import type { AccessLookup } from '../resolve/content-access.types.js';
import { readsRecord } from '../resolve/field-expressions.js';
import { FieldResolver } from '../resolve/field-resolver.js';
import { keyOf } from '../resolve/key-of.js';
import { type LastingAccess, lastingAccess } from '../resolve/lasting-access.js';
import { type ContentAction, NEVER } from '../resolve/resolved.types.js';
import { WriteResolver } from '../resolve/writes/resolve-write.js';
import { WriteFaults } from '../resolve/writes/write-faults.js';
import type { RecordWrite, WriteMode } from '../resolve/writes/write.types.js';
import { run } from './in-transaction.js';
import type { RecordWriter } from './record-writer.js';
import type { WriteRequest } from './write-request.js';
import type { WriteTransaction, LockedRecord } from './write-transaction.types.js';

const NOTHING: PlannedRecord = { columns: [], relations: [], getters: [] };

/** Returns a written record as the principal may see it; its key alone where it may not. */
export async function writtenRecord(
  transaction: WriteTransaction,
  context: SchemaContext,
  answer: WrittenAnswer,
  id: string,
): Promise<WrittenRow> {
  const [row] = await writtenRecords(transaction, context, answer, [id]);
  return row ?? rowOfKey(context.schema, id);
}

/** Reads written records as the principal may see them, in the order of the keys; see {@link writtenRecord}. */
export async function writtenRecords(
  transaction: WriteTransaction,
  context: SchemaContext,
  { visible, record }: WrittenAnswer,
  ids: readonly string[],
): Promise<readonly WrittenRow[]> {
  const { schema } = context;
  const plan = { table: schema.table.name, where: visible, record };
  const rows =
    visible === NEVER
      ? []
      : await run<RecordRow & { id: string }>(transaction, renderRecords(plan, keyOf(schema), ids));
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = found.get(id);
    const unseen = rowOfKey(schema, id);
    return row ? { ...unseen, item: withGetters(row.item, record, context), version: row.version } : unseen;
  });
}

/**
 * Returns whether records that were answered once may be seen now. If the answer has more of a record than its own columns (others
 * that it expands, fields that are seen of some records only, keys that a rule tells), that must be what would be answered now.
 *
 * @param answered records, each as it was answered.
 * @param keys their keys, as {@link rowOfKey} makes them; what is no record is left out.
 */
export async function areSeen(
  transaction: WriteTransaction,
  context: SchemaContext,
  answer: WrittenAnswer,
  answered: readonly unknown[],
  keys: readonly unknown[],
): Promise<boolean> {
  const { primaryField } = context.schema;
  const told = answered.flatMap((record, at) => {
    const id = (Object(keys[at]) as Record<string, unknown>)[primaryField];
    return typeof id === 'string' ? [{ id, record }] : [];
  });
  if (told.length === 0) return true;
  const ids = told.map(({ id }) => id);
  const { relations, columns } = answer.record;
  const others = columns.filter(({ operand }) => operand.kind !== 'column' || operand.guard !== null);
  const names = [...others, ...relations].map(({ name }) => name);
  const rows = await writtenRecords(transaction, context, answer, ids);
  return rows.every(({ version, item }, at) => {
    const isThere = version !== '';
    return (
      isThere && (names.length === 0 || isDeepStrictEqual(only(names, JSON.parse(item)), only(names, told[at]?.record)))
    );
  });
}

function only(names: readonly string[], record: unknown): readonly unknown[] {
  return names.map((name) => (Object(record) as Record<string, unknown>)[name]);
}

/** Returns a written record of which nothing but the key may be told. */
export function rowOfKey({ primaryField }: LinkedSchema, id: string): WrittenRow {
  const key = JSON.stringify({ [primaryField]: id });
  return { id, key, item: key, version: '' };
}

/** Returns what is answered of a record that a request writes. Throws `query_invalid` with everything that is wrong. */
export function answerTo(context: SchemaContext, { query, prefer }: WriteRequest): WrittenAnswer {
  const answer = Object.keys(query).length === 0 ? cachedAnswer(context) : askedAnswer(context, query);
  return prefer === 'minimal' ? { ...answer, record: NOTHING } : answer;
}

function askedAnswer(context: SchemaContext, query: WriteRequest['query']): WrittenAnswer {
  const faults = new QueryFaults(context.limits);
  const answer = answerOf(context, parseRecordQuery(query, faults), faults);
  faults.assertNone();
  return answer;
}

/** Answers to a write if nothing is asked, by the name of the schema. */
const ANSWERS = new WeakMap<LastingAccess, Map<string, WrittenAnswer>>();

/** Returns the answer if no rule asks for it anew. It is kept if no rule that asks who or when was looked at. */
function cachedAnswer(context: SchemaContext): WrittenAnswer {
  const { schema, snapshot, permissions, auth } = context;
  const opened = lastingAccess(permissions, snapshot);
  const answers = ANSWERS.get(opened) ?? new Map<string, WrittenAnswer>();
  const known = answers.get(schema.name);
  if (known !== undefined) return known;
  let lasts = true;
  const access: AccessLookup = (other, action) => {
    const opened = context.access(other, action);
    lasts &&= isLasting(context, other, action);
    return opened;
  };
  const fields = new FieldResolver(snapshot, access, auth.id);
  const answer = askedAnswer({ ...context, access, fields }, {});
  if (lasts) ANSWERS.set(opened, answers.set(schema.name, answer));
  return answer;
}

/** Returns what is answered of a record where nothing is said of that: its own fields. */
export function plainAnswer(context: SchemaContext): WrittenAnswer {
  const { limits } = context;
  const query = {
    limits,
    select: SELECT_ALL,
    relations: new Map(),
    childLimit: linksOfList(limits),
    withDeleted: false,
  };
  return answerOf(context, query, new QueryFaults(limits));
}

function answerOf({ schema, access, fields }: SchemaContext, query: RecordQuery, faults: QueryFaults): WrittenAnswer {
  if (access(schema, 'get').grants.length === 0) return { visible: NEVER, record: NOTHING };
  const record = new RecordPlanner(fields, query, faults).plan(schema, 'get', 1);
  return { visible: fields.visible(schema, 'get', query.withDeleted), record };
}

/**
 * Returns the versions that `If-Match` names, by the tag of a write or of what was read; null if any is accepted. Weak tags are
 * accepted, unlike RFC 9110 §13.1.1 says: a proxy that compresses weakens every tag, and the version of the row is still exact.
 */
export function acceptedVersions(ifMatch: string | null): readonly string[] | null {
  return ifMatch === null ? null : (versionTags(ifMatch)?.map(versionInTag) ?? null);
}

/** Returns the record that a request is about, locked. Throws `record_not_found`, `record_changed`. */
export async function lockRecord(
  writer: RecordWriter,
  transaction: WriteTransaction,
  schema: LinkedSchema,
  { id, ifMatch }: WriteRequest,
  action: ContentAction,
  write?: RecordWrite,
): Promise<LockedRecord> {
  const locked = await writer.lock(transaction, schema, id, action, write);
  if (locked === null) throw new AppError('record_not_found');
  if (acceptedVersions(ifMatch)?.includes(locked.version) === false) throw new AppError('record_changed');
  return locked;
}

/** Returns a body as a write. Throws `field_invalid` with everything that is wrong. */
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

/** Returns a body as a write with everything that is wrong; what is wrong is left out of the write. */
export function readBody(
  context: SchemaContext,
  mode: WriteMode,
  body: unknown,
  locked?: LockedRecord,
): { readonly write: RecordWrite; readonly faults: WriteFaults } {
  const faults = new WriteFaults();
  const { schema } = context;
  const write = new WriteResolver(context, faults).resolve({ schema, mode, body, current: locked?.values, place: '' });
  return { write, faults };
}

/** Returns a body as the write of a locked record, given how it was read before. Throws as {@link resolveBody}. */
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

/** Returns a list of new records as writes. Throws `field_invalid` with everything that is wrong, in its place: `records[3].title`. */
export function resolveBodies(context: SchemaContext, bodies: readonly unknown[]): readonly RecordWrite[] {
  const faults = new WriteFaults();
  const { schema } = context;
  const writes = bodies.map((body, at) =>
    new WriteResolver(context, faults).resolve({ schema, mode: 'create', body, place: `records[${at}].` }),
  );
  faults.assertNone();
  return writes;
}
