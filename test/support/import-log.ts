import { createHash, randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Service } from './service.js';
import { untilGone } from './until-gone.js';

/** Rows of a synchronous and of a background import. The background import needs several steps. */
const ROWS = { once: 200, background: 1_200 };
/** Statuses for too much concurrent work, possible after a crash. */
const BUSY = new Set([409, 429, 503]);

interface SentRows {
  readonly kind: keyof typeof ROWS;
  readonly rows: number;
  /** Whether a response confirmed that the records exist or will exist. */
  isAcknowledged: boolean;
  /** The file that each record links, with the digest of its bytes. */
  readonly cover: { readonly id: string; readonly sha256: string };
}

export const IMPORTED = {
  name: 'note',
  namespace: 'notes',
  label_field: 'title',
  fields: [
    { type: 'string', name: 'title' },
    { type: 'file', name: 'cover' },
  ],
};

/** Runs synchronous and background imports while the service may crash, and records the acknowledged ones. */
export class ImportFacts {
  private readonly sent = new Map<string, SentRows>();
  /** The last uploaded file. The next records may link it again. */
  private cover: SentRows['cover'] | null = null;

  get done(): { readonly imports: number; readonly backgroundImports: number } {
    const acknowledged = [...this.sent.values()].filter(({ isAcknowledged }) => isAcknowledged);
    const imports = acknowledged.filter(({ kind }) => kind === 'once').length;
    return { imports, backgroundImports: acknowledged.length - imports };
  }

  /** Works until the service is gone. @throws Error for an error response. */
  work(service: Service, token: string): Promise<void> {
    return untilGone(() => this.once(service, token));
  }

  /**
   * Returns files with an unexpected number of records, and duplicate records.
   *
   * @param isOver whether all imports have finished. Before that, records of a background import appear step by step.
   */
  async faults(database: DataSource, isOver: boolean): Promise<readonly string[]> {
    const found = await database.query<{ file: string; n: number; titles: number; covers: number }[]>(
      `SELECT split_part(title, ' ', 1) AS file, count(*)::int AS n, count(DISTINCT title)::int AS titles,
         count(DISTINCT cover_id)::int AS covers FROM notes WHERE deleted_at IS NULL GROUP BY 1`,
    );
    const counts = new Map(found.map((one) => [one.file, one]));
    const strange = [...counts.keys()].filter((file) => !this.sent.has(file));
    const wrong = [...this.sent].filter(([file, { kind, rows, isAcknowledged }]) => {
      const { n, titles, covers } = counts.get(file) ?? { n: 0, titles: 0, covers: 0 };
      const isPart = n < rows && kind === 'background' && !isOver;
      const isWhole = n === rows && covers === 1;
      return titles !== n || !(isWhole || isPart || (n === 0 && !isAcknowledged));
    });
    return [...strange, ...wrong.map(([file, one]) => `${file} ${JSON.stringify(one)} ${counts.get(file)?.n}`)];
  }

  /** Waits until no import is running, and returns the linked files that cannot be read. */
  async settle(service: Service, token: string, database: DataSource): Promise<readonly string[]> {
    for (;;) {
      const open = `SELECT 1 FROM background_operations WHERE state IN ('checking', 'applying')`;
      if ((await database.query<object[]>(open)).length === 0) break;
      await delay(100);
    }
    const faults: string[] = [];
    for (const { isAcknowledged, cover } of this.sent.values()) {
      if (!isAcknowledged) continue;
      const answer = await fetch(`${service.url}/api/files/${cover.id}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      if (sha256(Buffer.from(await answer.arrayBuffer())) !== cover.sha256)
        faults.push(`${cover.id}: ${answer.status}`);
    }
    return faults;
  }

  /** Imports one file. @throws TypeError if the service is gone. */
  async once(service: Service, token: string, kind: keyof typeof ROWS = anyKind()): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const isKept = this.cover !== null && randomInt(4) > 0;
    const cover = isKept && this.cover !== null ? this.cover : await this.upload(service, headers);
    const file = `${this.sent.size}${kind}`;
    const rows = ROWS[kind];
    const sentRows: SentRows = { kind, rows, isAcknowledged: false, cover };
    this.sent.set(file, sentRows);
    const lines = Array.from({ length: rows }, (_, at) => `${file} ${at},${cover.id}`);
    const path = kind === 'once' ? '/api/content/notes/import' : '/api/imports?schema=notes&apply=true';
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/csv' },
      body: ['title,cover.id', ...lines].join('\n'),
    });
    await answer.arrayBuffer();
    if (answer.status < 300) sentRows.isAcknowledged = true;
    else if (BUSY.has(answer.status)) await delay(20);
    else throw new Error(`an import answered ${answer.status}`);
  }

  private async upload({ url }: Service, headers: Record<string, string>): Promise<SentRows['cover']> {
    const bytes = randomBytes(randomInt(1, 20_000));
    const answer = await fetch(`${url}/api/files`, { method: 'POST', headers, body: bytes });
    if (answer.status !== 201) throw new Error(`an upload answered ${answer.status}`);
    const { data } = (await answer.json()) as { data: { id: string } };
    return (this.cover = { id: data.id, sha256: sha256(bytes) });
  }
}

function anyKind(): keyof typeof ROWS {
  return randomInt(3) === 0 ? 'background' : 'once';
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
