import pg from 'pg';

interface Driver {
  readonly query: (this: unknown, query: unknown) => unknown;
}

/** A statement as a connection was given it. */
export interface SentStatement {
  readonly client: unknown;
  readonly text: string;
}

/** Returns what all connections of this process are given while the work runs, in that order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly SentStatement[]> {
  const spy = jest.spyOn(pg.Client.prototype as unknown as Driver, 'query');
  try {
    await work();
    return spy.mock.calls.map(([query], at) => ({
      client: spy.mock.contexts[at],
      text: (query as { text?: string }).text ?? String(query),
    }));
  } finally {
    spy.mockRestore();
  }
}
