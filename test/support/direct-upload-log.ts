import { randomBytes, randomInt } from 'node:crypto';
import type { FileFacts } from './file-log.js';
import { announcement, PART, piecesOf, put, type AnnouncedPart, type AnnouncedUpload } from './direct-uploads.js';
import type { Service } from './service.js';
import { untilGone } from './until-gone.js';

const SMALL_BYTES = 600_000;

/** Uploads files directly to the bucket while the service may crash, and continues them after a restart. */
export class DirectFacts {
  private readonly open = new Map<string, Buffer>();
  readonly done = { directUploads: 0, directGoneOn: 0, directAbandoned: 0 };

  /** @param files records the acknowledged files. */
  constructor(private readonly files: FileFacts) {}

  /** Uploads until the service is gone. @throws Error for an error response. */
  work(service: Service, token: string): Promise<void> {
    return untilGone(() => this.once(service, token));
  }

  /** Continues every other interrupted upload at a service that has only the database. The rest are abandoned. */
  async settle(service: Service, token: string): Promise<void> {
    for (const [at, [id, bytes]] of [...this.open].entries()) {
      this.open.delete(id);
      if (at % 2 === 1) {
        this.done.directAbandoned += 1;
        continue;
      }
      const { parts, file } = await this.ask(service, token, 'GET', `/${id}`);
      if (file === null) await this.bring(service, token, id, bytes, parts);
      this.files.know(id, bytes);
      this.done.directGoneOn += 1;
    }
  }

  private async once(service: Service, token: string): Promise<void> {
    const bytes = randomBytes((randomInt(3) === 0 ? PART : 0) + randomInt(1, SMALL_BYTES));
    const { id, parts } = await this.ask(service, token, 'POST', '', announcement(bytes));
    this.open.set(id, bytes);
    await this.bring(service, token, id, bytes, parts);
    this.open.delete(id);
    this.files.know(id, bytes);
    this.done.directUploads += 1;
  }

  private async bring(
    service: Service,
    token: string,
    id: string,
    bytes: Buffer,
    parts: readonly AnnouncedPart[],
  ): Promise<void> {
    const pieces = piecesOf(bytes);
    const completed: { number: number; etag: string }[] = [];
    for (const part of parts) {
      const { number, url, etag } = part;
      const sent = (url as string | null) === null ? null : await put(part, pieces[number - 1]!);
      if (sent !== null && sent.status !== 200) throw new Error(`the bucket answered ${sent.status} to a part`);
      const tag = sent?.etag ?? etag;
      if (tag !== null) completed.push({ number, etag: tag });
    }
    await this.ask(service, token, 'POST', `/${id}/complete`, { parts: completed });
  }

  private async ask(
    { url }: Service,
    token: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<AnnouncedUpload> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}/api/files/direct${path}`, { method, headers, ...sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} of a direct upload${path} answered ${answer.status} ${text}`);
    return (JSON.parse(text) as { data: AnnouncedUpload }).data;
  }
}
