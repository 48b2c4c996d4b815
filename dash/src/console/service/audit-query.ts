import type { ListedEvent, Permissions } from '../../api/openapi.js';

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly resource?: string;
  readonly outcome?: string;
  /** First and last day in the user's time zone, as `2026-01-31`. */
  readonly since?: string;
  readonly until?: string;
}

export interface ServiceSearch extends AuditFilter {
  readonly part?: string;
}

export const AUDIT_FILTERS = ['actor', 'action', 'resource', 'outcome', 'since', 'until'] as const;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a filter from query parameters or form values. Empty values are ignored. */
export function readFilter(values: Readonly<Record<string, unknown>>): AuditFilter {
  return Object.fromEntries(
    AUDIT_FILTERS.flatMap((name) => {
      const value = values[name];
      const text = typeof value === 'string' ? value.trim() : '';
      return text === '' ? [] : [[name, text]];
    }),
  );
}

/** Returns the path of a page of events. Days are in the user's time zone; `until` includes its day. */
export function auditPath({ since, until, ...filter }: AuditFilter, cursor: string): string {
  const query = new URLSearchParams({
    ...filter,
    ...(since !== undefined && { since: startOf(since, 0) }),
    ...(until !== undefined && { until: startOf(until, 1) }),
    ...(cursor !== '' && { cursor }),
  }).toString();
  return `/api/audit${query && `?${query}`}`;
}

/** A row of the log: one event, or several equal ones combined. */
export interface ShownEvent {
  readonly event: ListedEvent;
  /** The other events, newest first. */
  readonly equal: readonly ListedEvent[];
}

/** Action of a read as another user. */
const VIEW_AS = 'access.view';
/** Maximum time between two reads of one page. */
const ONE_PAGE_MS = 10_000;

/** Combines equal reads as another user, because one page sends several requests. */
export function combined(events: readonly ListedEvent[]): readonly ShownEvent[] {
  const shown: { readonly event: ListedEvent; readonly equal: ListedEvent[] }[] = [];
  for (const event of events) {
    const last = shown.at(-1);
    if (last !== undefined && isSameRead(last.equal.at(-1) ?? last.event, event)) last.equal.push(event);
    else shown.push({ event, equal: [] });
  }
  return shown;
}

function isSameRead(newer: ListedEvent, older: ListedEvent): boolean {
  const isEqual = (['action', 'actor', 'resource', 'outcome', 'address', 'key_id'] as const).every(
    (name) => newer[name] === older[name],
  );
  return isEqual && newer.action === VIEW_AS && Date.parse(newer.at) - Date.parse(older.at) <= ONE_PAGE_MS;
}

export function accountsIn(events: readonly ListedEvent[]): readonly string[] {
  return [
    ...new Set(events.flatMap(({ actor, resource }) => [personIn(actor) ?? [], personIn(resource) ?? []].flat())),
  ];
}

/** Returns the schema and the key of the record that an event names; null if the caller cannot open it. */
export function recordIn(name: string, { content }: Permissions): { schema: string; id: string } | null {
  const [, schema = '', id = ''] = /^([^:]+):(.+)$/s.exec(name) ?? [];
  return schema !== 'user' && Object.hasOwn(content, schema) && content[schema]?.['get'] !== undefined
    ? { schema, id }
    : null;
}

/** Returns the account id in a name, or null. */
export function personIn(name: string): string | null {
  return /^(?:account|user):([0-9a-f-]{36})$/.exec(name)?.[1] ?? null;
}

/** Describes the change of a field: `title: "a" → "b"`; only the name if the log contains no values. */
export function changeText(field: string, { before, after }: { before?: unknown; after?: unknown }): string {
  if (before === undefined && after === undefined) return field;
  if (before === undefined) return `${field}: ${JSON.stringify(after)}`;
  return `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after ?? null)}`;
}

/** Returns the start of a day as an ISO timestamp. Invalid text stays unchanged, so that the service rejects it. */
function startOf(day: string, later: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const start = DAY.test(day) ? new Date(year, month - 1, date + later) : null;
  return start === null || Number.isNaN(start.getTime()) ? day : start.toISOString();
}
