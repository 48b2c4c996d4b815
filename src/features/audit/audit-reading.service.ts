import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { type AccountDataRequest, OnAccountExport } from '../../identity/lifecycle/account-data.decorators.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { accountActor, actorOf, auditActions, defineAuditActions } from '../../platform/audit/audit.public.js';
import type { FieldChanges } from '../../platform/audit/audit.types.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';

const ACTIONS = defineAuditActions('Audit log access', {
  'audit.read': 'The audit log was read. The changes contain the filter.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** An audit event, as returned by the API. */
export class ListedEvent {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ format: 'date-time' }) readonly at: string;
  @ApiProperty({ description: 'Actor: `account:<id>`, `guest`, `operator` or `system`.' }) readonly actor: string;
  @ApiProperty() readonly action: string;
  @ApiProperty({ description: 'Object of the action: `user:<id>`, or only a kind.' }) readonly resource: string;
  @ApiProperty({ description: '`success`, or the error code.' }) readonly outcome: string;
  @ApiProperty({ type: String, nullable: true, description: 'Network address.' }) readonly address: string | null;
  @ApiProperty({ type: String, nullable: true }) readonly request_id: string | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'Id of the API key of the request.' })
  readonly key_id: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'object', properties: { before: {}, after: {} } },
    description: 'Changed fields, with or without their values.',
  })
  readonly changes: FieldChanges;
}

/** An action that the audit log can contain. */
export class ListedAction {
  @ApiProperty({ description: 'Name of the action, such as `session.begin`.' }) readonly name: string;
  @ApiProperty({ description: 'Meaning of the action, in English.' }) readonly description: string;
}

/** A page of audit events, newest first. */
export class EventPage {
  @ApiProperty({ type: [ListedEvent] }) readonly items: readonly ListedEvent[];
  @ApiProperty({ type: String, nullable: true }) readonly next_cursor: string | null;
}

type EventFilter = {
  readonly [N in 'actor' | 'action' | 'resource' | 'outcome' | 'since' | 'until' | 'cursor' | 'limit']?: string;
};

interface Reader {
  readonly principal: Principal;
  readonly origin: RequestOrigin;
}

interface ExportedRow {
  readonly id: string;
  readonly at: Date;
  readonly action: string;
  readonly resource: string;
  readonly outcome: string;
  readonly address: string | null;
  readonly fields: readonly string[];
}

type EventRow = Omit<ListedEvent, 'at'> & { readonly at: Date };

const DEFAULT_LIMIT = 50;
const CURSOR = /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const PAGE = 500;
const EXPORTED = 'id, at, action, resource, outcome, array(SELECT jsonb_object_keys(changes)) AS fields';
const AFTER_EVENT = `($2::timestamptz IS NULL OR (at, id) > ($2, $3::uuid)) ORDER BY at, id LIMIT ${PAGE}`;
const BY_ACCOUNT = `SELECT ${EXPORTED}, address FROM audit_events WHERE actor = $1 AND ${AFTER_EVENT}`;
/** Events of other actors: their identity and address are not exported. */
const TO_ACCOUNT = `SELECT ${EXPORTED}, NULL AS address FROM audit_events WHERE resource = $1 AND actor <> $4 AND ${AFTER_EVENT}`;

/** Reads the audit log. Each read is itself logged. */
@Injectable()
export class AuditReading {
  constructor(
    private readonly dataSource: DataSource,
    private readonly trail: AuditTrail,
  ) {}

  actions(): readonly ListedAction[] {
    return auditActions().map(([name, description]) => ({ name, description }));
  }

  /** Returns a page of events. The cursor must be validated with {@link isCursor}. */
  async list(filter: EventFilter, { principal, origin }: Reader): Promise<EventPage> {
    const limit = Number(filter.limit ?? DEFAULT_LIMIT);
    const { text, parameters } = statementOf(filter, limit + 1);
    const rows = await this.dataSource.query<EventRow[]>(text, parameters);
    const items = rows.slice(0, limit).map((row) => ({ ...row, at: row.at.toISOString() }));
    const last = rows[limit - 1];
    const read = { action: 'audit.read', actor: actorOf(principal), resource: 'audit', origin } as const;
    await this.trail.write(this.dataSource.manager, { ...read, facts: filter });
    return { items, next_cursor: last !== undefined && rows.length > limit ? cursorOf(last) : null };
  }

  /** Returns the events by the account, then those by others on it. Changed fields are named without their values. */
  @OnAccountExport('audit')
  async *export({ userId }: AccountDataRequest): AsyncGenerator<object> {
    const actor = accountActor(userId);
    yield* this.exportPages(BY_ACCOUNT, actor, [], 'you');
    yield* this.exportPages(TO_ACCOUNT, `user:${userId}`, [actor], 'others');
  }

  private async *exportPages(text: string, of: string, more: readonly string[], by: string): AsyncGenerator<object> {
    for (let last: ExportedRow | undefined; ;) {
      const values = [of, last?.at ?? null, last?.id ?? null, ...more];
      const rows: ExportedRow[] = await this.dataSource.query(text, values);
      for (const { at, action, resource, outcome, address, fields } of rows)
        yield { at, by, action, resource, outcome, address, fields };
      last = rows.at(-1);
      if (rows.length < PAGE) return;
    }
  }
}

/** Returns whether a cursor has the format of {@link AuditReading.list}. */
export function isCursor(cursor: string): boolean {
  return CURSOR.test(Buffer.from(cursor, 'base64url').toString('latin1'));
}

function cursorOf({ at, id }: EventRow): string {
  return Buffer.from(`${at.getTime()} ${id}`, 'latin1').toString('base64url');
}

function statementOf(filter: EventFilter, limit: number): { text: string; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const placeholder = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = [
    ...named('actor', filter.actor, placeholder),
    ...named('resource', filter.resource, placeholder),
    ...equal('action', filter.action, placeholder),
    ...equal('outcome', filter.outcome, placeholder),
    ...(filter.since === undefined ? [] : [`at >= ${placeholder(new Date(filter.since))}`]),
    ...(filter.until === undefined ? [] : [`at < ${placeholder(new Date(filter.until))}`]),
  ];
  const [, time, id] = CURSOR.exec(Buffer.from(filter.cursor ?? '', 'base64url').toString('latin1')) ?? [];
  if (id !== undefined) {
    const at = placeholder(new Date(Number(time)));
    // The first condition lets the planner skip partitions.
    conditions.push(`at <= ${at}`, `(at, id) < (${at}::timestamptz, ${placeholder(id)}::uuid)`);
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const text = `SELECT id, at, actor, action, resource, outcome, address, request_id, key_id, changes FROM audit_events
    ${where} ORDER BY at DESC, id DESC LIMIT ${placeholder(limit)}`;
  return { text, parameters };
}

/** Returns the condition for a kind or a single item. A kind also matches its items: `article` matches `article:1`. */
function named(column: string, value: string | undefined, placeholder: (value: unknown) => string): readonly string[] {
  if (value === undefined) return [];
  if (value.includes(':')) return equal(column, value, placeholder);
  // `;` follows `:` in byte order, and both columns use it.
  return [
    `(${column} = ${placeholder(value)} OR (${column} >= ${placeholder(`${value}:`)} AND ${column} < ${placeholder(`${value};`)}))`,
  ];
}

function equal(column: string, value: string | undefined, placeholder: (value: unknown) => string): readonly string[] {
  return value === undefined ? [] : [`${column} = ${placeholder(value)}`];
}
