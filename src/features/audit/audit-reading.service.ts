import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { actorOf, auditActions, defineAuditActions, factsOf } from '../../platform/audit/audit.public.js';
import type { FieldChanges } from '../../platform/audit/audit.types.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';

const ACTIONS = defineAuditActions('Reading the audit log', {
  'audit.read': 'Somebody read the audit log: the changes say what was asked for.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** An event as it is answered. */
export class ListedEvent {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ format: 'date-time' }) readonly at: string;
  @ApiProperty({ description: '`account:<id>`, `guest`, `operator` or `system`.' }) readonly actor: string;
  @ApiProperty() readonly action: string;
  @ApiProperty({ description: 'What it was done to: `user:<id>`, or a kind alone.' }) readonly resource: string;
  @ApiProperty({ description: '`success`, or the error value of the refusal.' }) readonly outcome: string;
  @ApiProperty({ type: String, nullable: true, description: 'Network address.' }) readonly address: string | null;
  @ApiProperty({ type: String, nullable: true }) readonly request_id: string | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'The API key by which it came.' })
  readonly key_id: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'object', properties: { before: {}, after: {} } },
    description: 'By field: nothing but that it was written, or its values too.',
  })
  readonly changes: FieldChanges;
}

/** An action of the log. */
export class ListedAction {
  @ApiProperty({ description: 'Name of the action, such as `session.begin`.' }) readonly name: string;
  @ApiProperty({ description: 'Meaning of the action, in English.' }) readonly description: string;
}

/** A page of events, the newest first. */
export class EventPage {
  @ApiProperty({ type: [ListedEvent] }) readonly items: readonly ListedEvent[];
  @ApiProperty({ type: String, nullable: true }) readonly next_cursor: string | null;
}

export interface EventFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly resource?: string;
  readonly outcome?: string;
  readonly since?: string;
  readonly until?: string;
  readonly cursor?: string;
  readonly limit?: string;
}

interface Reader {
  readonly principal: Principal;
  readonly origin: RequestOrigin;
}

type EventRow = Omit<ListedEvent, 'at'> & { readonly at: Date };

const DEFAULT_LIMIT = 50;
const CURSOR = /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Reads the audit log. Each read is itself logged. */
@Injectable()
export class AuditReading {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
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
    const changes = factsOf({ ...filter });
    const read = { action: 'audit.read', actor: actorOf(principal), resource: 'audit', origin, changes } as const;
    await this.trail.write(this.dataSource.manager, { ...read, at: this.clock.now() });
    return { items, next_cursor: last !== undefined && rows.length > limit ? cursorOf(last) : null };
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
  const place = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = [
    ...named('actor', filter.actor, place),
    ...named('resource', filter.resource, place),
    ...equal('action', filter.action, place),
    ...equal('outcome', filter.outcome, place),
    ...(filter.since === undefined ? [] : [`at >= ${place(new Date(filter.since))}`]),
    ...(filter.until === undefined ? [] : [`at < ${place(new Date(filter.until))}`]),
  ];
  const [, time, id] = CURSOR.exec(Buffer.from(filter.cursor ?? '', 'base64url').toString('latin1')) ?? [];
  if (id !== undefined) {
    const at = place(new Date(Number(time)));
    // The first condition lets the planner skip partitions.
    conditions.push(`at <= ${at}`, `(at, id) < (${at}::timestamptz, ${place(id)}::uuid)`);
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const text = `SELECT id, at, actor, action, resource, outcome, address, request_id, key_id, changes FROM audit_events
    ${where} ORDER BY at DESC, id DESC LIMIT ${place(limit)}`;
  return { text, parameters };
}

/** Returns the condition for a kind or a single item. A kind also matches its items: `article` matches `article:1`. */
function named(column: string, value: string | undefined, place: (value: unknown) => string): readonly string[] {
  if (value === undefined) return [];
  if (value.includes(':')) return equal(column, value, place);
  // `;` follows `:` in byte order, and both columns use it.
  return [
    `(${column} = ${place(value)} OR (${column} >= ${place(`${value}:`)} AND ${column} < ${place(`${value};`)}))`,
  ];
}

function equal(column: string, value: string | undefined, place: (value: unknown) => string): readonly string[] {
  return value === undefined ? [] : [`${column} = ${place(value)}`];
}
