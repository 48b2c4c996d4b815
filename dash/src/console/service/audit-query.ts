/** Filter of events, as it stands in the address. */
export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly resource?: string;
  readonly outcome?: string;
  /** The first and the last day, as 2026-01-31 in the reader's time zone. */
  readonly since?: string;
  readonly until?: string;
}

/** Search in the address of the page: a part, and what is looked for in it. */
export interface ServiceSearch extends AuditFilter {
  readonly part?: string;
}

export const AUDIT_FILTERS = ['actor', 'action', 'resource', 'outcome', 'since', 'until'] as const;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a filter from what stands in an address, or in the inputs of a form: what is empty is not asked for. */
export function readFilter(values: Readonly<Record<string, unknown>>): AuditFilter {
  return Object.fromEntries(
    AUDIT_FILTERS.flatMap((name) => {
      const value = values[name];
      const text = typeof value === 'string' ? value.trim() : '';
      return text === '' ? [] : [[name, text]];
    }),
  );
}

/** Returns the path of a page of events. A day begins and ends where the reader is; the last one belongs to it. */
export function auditPath({ since, until, ...filter }: AuditFilter, cursor: string): string {
  const query = new URLSearchParams({
    ...filter,
    ...(since !== undefined && { since: startOf(since, 0) }),
    ...(until !== undefined && { until: startOf(until, 1) }),
    ...(cursor !== '' && { cursor }),
  }).toString();
  return `/api/audit${query && `?${query}`}`;
}

/** Returns the person that an event names, who leads to their account. */
export function personIn(name: string): string | null {
  return /^(?:account|user):([0-9a-f-]{36})$/.exec(name)?.[1] ?? null;
}

/** Returns what an event changed in a field, as text: "title: "a" → "b"", or the name alone where values are not kept. */
export function changeText(field: string, { before, after }: { before?: unknown; after?: unknown }): string {
  if (before === undefined && after === undefined) return field;
  if (before === undefined) return `${field}: ${JSON.stringify(after)}`;
  return `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after ?? null)}`;
}

/** Returns the beginning of a day, or the text as it stands. What is no day is left to the service to refuse. */
function startOf(day: string, later: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const start = DAY.test(day) ? new Date(year, month - 1, date + later) : null;
  return start === null || Number.isNaN(start.getTime()) ? day : start.toISOString();
}
