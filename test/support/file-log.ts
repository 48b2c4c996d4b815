import { createHash, randomBytes, randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { PNG } from './file-fixture.js';
import type { Service } from './service.js';
import { untilGone } from './until-gone.js';

const MOST_BYTES = 600_000;
/** Above this number, files are deleted. */
const MOST_FILES = 30;

/** Acceptable reads of a file: one of the digests, or 404 if a deletion may have succeeded. */
interface Possible {
  readonly digests: ReadonlySet<string>;
  readonly mayBeGone: boolean;
}

/** Uploads, replaces and deletes files while the service may crash, and records the acknowledged changes. */
export class FileFacts {
  private readonly files = new Map<string, Possible>();
  readonly done = { uploads: 0, pictures: 0, replacements: 0, deletions: 0 };
  /** Uploads and replacements without a response. */
  open = 0;

  /** Works until the service is gone. @throws Error for an error response. */
  work(service: Service, token: string): Promise<void> {
    return untilGone(() => this.once(service, token));
  }

  /** Returns the files whose content is not acceptable, and resolves open operations. */
  async faults(service: Service, token: string): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const [id, { digests, mayBeGone }] of this.files) {
      const answer = await fetch(`${service.url}/api/files/${id}`, { headers: authorization(token) });
      const digest = answer.status === 200 ? sha256(Buffer.from(await answer.arrayBuffer())) : undefined;
      if (digest === undefined) await answer.body?.cancel();
      const isRight = digest === undefined ? mayBeGone && answer.status === 404 : digests.has(digest);
      if (!isRight) faults.push(`${id}: ${answer.status} ${digest}`);
      if (digest === undefined) this.files.delete(id);
      else this.files.set(id, { digests: new Set([digest]), mayBeGone: false });
    }
    return faults;
  }

  get count(): number {
    return this.files.size;
  }

  /** Records a file that was acknowledged to another client. */
  know(id: string, bytes: Buffer): void {
    this.files.set(id, { digests: new Set([sha256(bytes)]), mayBeGone: false });
  }

  private async once(service: Service, token: string): Promise<void> {
    const there = [...this.files].filter(([, { mayBeGone }]) => !mayBeGone);
    const [id] = there[randomInt(Math.max(1, there.length))] ?? [];
    const choice = randomInt(10);
    const isEnough = there.length > MOST_FILES;
    if (id === undefined || (choice < 5 && !isEnough)) return this.upload(service, token);
    // Only one worker uses a file at a time. With two concurrent changes the final content would be unknown.
    const before = this.files.get(id)!;
    this.files.delete(id);
    return choice < 8 && !isEnough ? this.replace(service, token, id, before) : this.remove(service, token, id, before);
  }

  private async upload(service: Service, token: string): Promise<void> {
    const isImage = randomInt(3) === 0;
    const bytes = Buffer.concat([isImage ? PNG : Buffer.alloc(0), randomBytes(randomInt(MOST_BYTES))]);
    const answer = await this.send(service, token, 'POST', '/api/files', bytes);
    if (answer.status !== 201) throw new Error(`an upload answered ${answer.status}`);
    const { data } = (await answer.json()) as { data: { id: string } };
    this.done.uploads += 1;
    try {
      if (isImage) await this.shrink(service, token, data.id);
    } finally {
      this.know(data.id, bytes);
    }
  }

  /** Reads a resized image before other workers can use the file. */
  private async shrink(service: Service, token: string, id: string): Promise<void> {
    const answer = await fetch(`${service.url}/api/files/${id}?size=thumb`, { headers: authorization(token) });
    await answer.arrayBuffer();
    if (answer.status !== 200 || answer.headers.get('lintel-size') !== 'thumb')
      throw new Error(`a picture in another size answered ${answer.status}`);
    this.done.pictures += 1;
  }

  private async replace(service: Service, token: string, id: string, before: Possible): Promise<void> {
    const bytes = randomBytes(randomInt(MOST_BYTES));
    let isDone = false;
    try {
      const { status } = await this.send(service, token, 'PUT', `/api/files/${id}`, bytes);
      if (status !== 200) throw new Error(`a replacement answered ${status}`);
      isDone = true;
      this.done.replacements += 1;
    } finally {
      const digests = isDone ? [sha256(bytes)] : [...before.digests, sha256(bytes)];
      this.files.set(id, { digests: new Set(digests), mayBeGone: before.mayBeGone });
    }
  }

  private async remove(service: Service, token: string, id: string, before: Possible): Promise<void> {
    let isDone = false;
    try {
      const path = `${service.url}/api/content/files/${id}`;
      const { status } = await fetch(path, { method: 'DELETE', headers: authorization(token) });
      if (status !== 200) throw new Error(`a deletion answered ${status}`);
      isDone = true;
      this.done.deletions += 1;
    } finally {
      this.files.set(id, { digests: isDone ? new Set() : before.digests, mayBeGone: true });
    }
  }

  /** Sends a body in one piece or in delayed chunks, so that crashes also hit partial bodies. */
  private async send(service: Service, token: string, method: string, path: string, bytes: Buffer): Promise<Response> {
    this.open += 1;
    const body = randomInt(2) === 0 ? bytes : Readable.toWeb(Readable.from(slowly(bytes)));
    const options = { method, body, duplex: 'half', headers: authorization(token) };
    const answer = await fetch(service.url + path, options as RequestInit);
    this.open -= 1;
    return answer;
  }
}

async function* slowly(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 100_000) {
    yield bytes.subarray(start, start + 100_000);
    await delay(randomInt(5));
  }
}

function authorization(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
