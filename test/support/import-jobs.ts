import { setTimeout as delay } from 'node:timers/promises';
import type { TestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

export interface ImportStatus {
  readonly id: string;
  readonly state: string;
  readonly plan: string | null;
  readonly error: string | null;
  readonly rows: number;
  readonly checked: number;
  readonly applied: number;
  readonly faults: number;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly can_be_undone: boolean;
}

const RUNNING = ['receiving', 'checking', 'applying', 'undoing'];

export class ImportJobs {
  constructor(
    private readonly app: TestApp,
    private readonly client: TestClient,
    private readonly schema = 'things',
  ) {}

  /** Sends a file without checking the response. */
  async send(body: string | ReadableStream<Uint8Array>, query = ''): Promise<{ status: number; data: ImportStatus }> {
    const { token } = this.client;
    const answer = await fetch(`${this.app.url}/api/imports?schema=${this.schema}&${query}`, {
      method: 'POST',
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), 'content-type': 'text/csv' },
      body: body as string,
      duplex: 'half',
    } as RequestInit);
    return { status: answer.status, data: ((await answer.json()) as { data: ImportStatus }).data };
  }

  async look(id: string): Promise<ImportStatus> {
    return ((await this.client.get(`/api/imports/${id}`).expect(200)).body as { data: ImportStatus }).data;
  }

  /** Waits until the import finishes or needs an action. */
  async settled(id: string): Promise<ImportStatus> {
    for (;;) {
      const job = await this.look(id);
      if (!RUNNING.includes(job.state)) return job;
      await delay(20);
    }
  }

  /** Sends a valid file and waits for its check. */
  async sent(body: string, query = ''): Promise<ImportStatus> {
    const { status, data } = await this.send(body, query);
    if (status !== 202) throw new Error(`The import is answered by ${status}: ${JSON.stringify(data)}`);
    return this.settled(data.id);
  }

  async apply({ id, plan }: ImportStatus, options: object = {}): Promise<ImportStatus> {
    await this.client.post(`/api/imports/${id}/apply`, { plan, ...options }).expect(202);
    return this.settled(id);
  }

  async faults(id: string): Promise<readonly (readonly [number, string, string])[]> {
    const { body } = await this.client.get(`/api/imports/${id}/faults`).expect(200);
    const { items } = (body as { data: { items: { row: number; field: string; code: string }[] } }).data;
    return items.map(({ row, field, code }) => [row, field, code]);
  }
}

export function fileOfThings(most: number): string {
  return ['code,views', ...Array.from({ length: most }, (_, at) => `c${at},${at}`)].join('\n');
}
