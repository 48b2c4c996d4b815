import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { parseJson, stringifyJson } from '../../kernel/text/json.js';
import type { CompiledExpression, ExpressionAuth, ExpressionInputs } from '../expressions/expression.types.js';
import type { SchemaSnapshot } from '../schema/snapshot/schema-snapshot.types.js';
import { FOR_GETTERS, type PlannedGetter, type PlannedRecord } from './plan/query-plan.types.js';
import type { ListQuery } from './request/list-query.types.js';
import { compiledExpression } from './resolve/sql-values.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Preference for the response to a write (RFC 7240 §4.2). */
export type ReturnPreference = 'minimal' | 'representation';

/** A complete response to a write. It is sent now or replayed later for the same `Idempotency-Key`. */
export interface WriteResponse {
  readonly status: number;
  readonly body: string;
  /** The same body, reduced to record keys. It is replayed if the caller may no longer see everything. */
  readonly bare: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface WrittenRow extends RecordRow {
  readonly id: string;
  readonly key: string;
}

/** Without a body if the client sent `Prefer: return=minimal` (RFC 7240 §4.2). */
export function recordWritten(
  { item, key, version }: WrittenRow,
  prefer: ReturnPreference | null,
  location: string | null,
): WriteResponse {
  const isMinimal = prefer === 'minimal';
  return {
    status: location !== null ? 201 : isMinimal ? 204 : 200,
    body: isMinimal ? '' : recordAnswer(item),
    bare: isMinimal ? '' : recordAnswer(key),
    headers: {
      ...(location === null ? {} : { location }),
      ...(version === '' ? {} : { etag: entityTag(version) }),
      ...applied(prefer),
    },
  };
}

export function recordsWritten(rows: readonly WrittenRow[], prefer: ReturnPreference | null): WriteResponse {
  const list = (items: readonly string[]): string => (prefer === 'minimal' ? '' : recordAnswer(`[${items.join(',')}]`));
  return {
    status: 201,
    body: list(rows.map(({ item }) => item)),
    bare: list(rows.map(({ key }) => key)),
    headers: applied(prefer),
  };
}

/** @param bare the same result without record contents, if it has any. */
export function resultWritten(result: string, bare = result): WriteResponse {
  return { status: 200, body: recordAnswer(result), bare: recordAnswer(bare), headers: {} };
}

export function entityTag(version: string): string {
  return `"${version}"`;
}

/**
 * Returns the entity tag of a read response. The hash covers the text, because the response depends on related records and on the caller.
 * The row version precedes it and can be used in `If-Match`.
 */
export function readTag(body: string, version: string | null): string {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH);
  return entityTag(version === null || version === '' ? hash : `${version}${BEFORE_HASH}${hash}`);
}

export function versionInTag(tag: string): string {
  return tag.split(BEFORE_HASH, 1)[0] ?? '';
}

export async function sendWriteResponse(reply: FastifyReply, { status, headers, body }: WriteResponse): Promise<void> {
  void reply.code(status).headers(headers);
  if (body === '') await reply.send();
  else await reply.header('content-type', JSON_TYPE).send(body);
}

/** 132 bits. */
const TAG_LENGTH = 22;
/** Separator that occurs in neither a version nor a hash. */
const BEFORE_HASH = '.';

function applied(prefer: ReturnPreference | null): Readonly<Record<string, string>> {
  return prefer === null ? {} : { 'preference-applied': `return=${prefer}` };
}

export interface RecordRow {
  readonly item: string;
  readonly version: string;
}

/** `version` is the row version, which is the entity tag (RFC 9110 §8.8.3). */
export interface RecordBody {
  readonly body: string;
  readonly version: string | null;
}

/** Concatenates the body as text: JSON built by PostgreSQL is not parsed. */
export function listAnswer(items: string, total: string | null, { limit, page, count, limits }: ListQuery): string {
  const number = total === null ? null : Number(total);
  const lastPage = number === null ? null : Math.max(1, Math.ceil(number / limit));
  const isCapped = count === 'capped' && number === limits.cappedCount;
  const capped = isCapped ? ',"capped":true' : '';
  return `{"data":{"total":${number},"per_page":${limit},"current_page":${page},"last_page":${lastPage}${capped},"items":${items}}}`;
}

export function cursorAnswer(items: string, next: string | null, { limit }: ListQuery): string {
  return `{"data":{"per_page":${limit},"next_cursor":${JSON.stringify(next)},"items":${items}}}`;
}

export function recordAnswer(item: string): string {
  return `{"data":${item}}`;
}

export function dataOf<T>(body: string): T {
  return (JSON.parse(body) as { readonly data: T }).data;
}

/** Adds computed fields to the JSON of a response. Returns the same text if the record has no getters. */
export function withGetters(
  json: string,
  record: PlannedRecord,
  context: { readonly snapshot: SchemaSnapshot; readonly auth: ExpressionAuth; readonly now: Date },
): string {
  if (!hasGetters(record)) return json;
  const value = parseJson(json);
  applyGetters(value, record, context, (getter) => compiledGetter(getter, context.snapshot));
  return stringifyJson(value);
}

function compiledGetter(
  { name, schema: schemaName, expression }: PlannedGetter,
  snapshot: SchemaSnapshot,
): CompiledExpression {
  const schema = snapshot.schemas[schemaName];
  const field = schema?.fields[name];
  if (schema === undefined || field?.kind !== 'value')
    throw new TypeError(`The field ${schemaName}.${name} does not exist.`);
  return compiledExpression(schema, field, expression.source);
}

type JsonRecord = Record<string, unknown>;

type GetterCompiler = (getter: PlannedGetter) => CompiledExpression;

function hasGetters(record: PlannedRecord): boolean {
  return record.getters.length > 0 || record.relations.some((relation) => hasGetters(relation.record));
}

/** Computes getters in place, at every level of the response. A getter that fails yields null. */
export function applyGetters(
  value: unknown,
  plan: PlannedRecord,
  inputs: { readonly auth: ExpressionAuth; readonly now: Date },
  compile: GetterCompiler,
): void {
  if (Array.isArray(value)) {
    for (const entry of value) applyGetters(entry, plan, inputs, compile);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const answer = value as JsonRecord;
  for (const { name, record } of plan.relations) applyGetters(answer[name], record, inputs, compile);
  const raw: JsonRecord = {};
  for (const { name } of plan.columns.filter((column) => column.name.startsWith(FOR_GETTERS))) {
    raw[name.slice(FOR_GETTERS.length)] = answer[name];
    delete answer[name];
  }
  for (const getter of plan.getters) {
    const before = answer[getter.name];
    answer[getter.name] = evaluate(compile(getter), { value: before, record: raw, ...inputs });
  }
}

function evaluate(expression: CompiledExpression, inputs: ExpressionInputs): unknown {
  try {
    return expression.evaluate(inputs);
  } catch {
    return null;
  }
}
