import { hash } from 'node:crypto';
import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { ObjectMissing } from '../file-storage.port.js';

export interface S3Settings {
  readonly endpoint: string;
  /** Endpoint for clients that upload to the bucket directly. */
  readonly publicEndpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the bucket is in the path; otherwise it is in the host. */
  readonly forcePathStyle: boolean;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Undefined for a request about the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

type SigningOptions = Pick<
  ConstructorParameters<typeof AwsV4Signer>[0],
  'accessKeyId' | 'secretAccessKey' | 'region' | 'service' | 'cache' | 'datetime'
>;

export class S3Fault extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    request: S3Request,
  ) {
    super(`${request.method} of ${request.key ?? 'the bucket'} was rejected: ${status} ${code}`);
  }
}

/** @internal */
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 100;
const IDLE_MS = 30_000;
/** Maximum pause of a reader. */
const PAUSE_MS = 600_000;
const CONNECTIONS = 64;
/** Stores accept a clock skew of less than 15 minutes. */
const SKEW_MS = 240_000;
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const EMPTY = new Uint8Array();
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;
const FULL: ReadonlySet<string> = new Set(['QuotaExceeded', 'XMinioStorageFull', 'StorageFull']);
const MISSING = 404;

/**
 * Client of one bucket. It signs each request with the digest of its body (AWS Signature Version 4). It retries if the store is busy, the
 * connection breaks or the clock is wrong.
 */
export class S3Client {
  private readonly base: URL;
  private readonly publicBase: URL;
  private readonly agent: PlainAgent | TlsAgent;
  /** Signing keys of a day. */
  private readonly keys = new Map<string, ArrayBuffer>();
  private skewMs = 0;

  constructor(
    private readonly settings: S3Settings,
    private readonly now: () => number = Date.now,
  ) {
    this.base = bucketUrl(settings, settings.endpoint);
    this.publicBase = bucketUrl(settings, settings.publicEndpoint);
    const options = { keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: 16 };
    this.agent = this.base.protocol === 'https:' ? new TlsAgent(options) : new PlainAgent(options);
  }

  /** Returns the response with its body unread. @throws S3Fault for a refusal, and connection errors, after the last retry. */
  async send(request: S3Request): Promise<IncomingMessage> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.once(request).catch((error: Error) => error);
      if (!(answer instanceof Error) && (answer.statusCode ?? 500) < 300) return answer;
      const fault = answer instanceof Error ? answer : await refusal(request, answer);
      const isLate = !(answer instanceof Error) && this.noteSkew(answer);
      const mayPass = !(fault instanceof S3Fault) || PASSING.has(fault.status) || isLate;
      if (tries === MAX_TRIES || !mayPass) throw fault;
      if (!isLate) await delay(FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random()));
    }
  }

  async text(request: S3Request): Promise<string> {
    return text(await this.send(request));
  }

  async headers(request: S3Request): Promise<IncomingMessage['headers']> {
    const answer = await this.send(request);
    answer.resume();
    return answer.headers;
  }

  /** Returns a presigned URL. All headers are signed, so other headers are refused. The body is not part of the signature. */
  async presign(request: Omit<S3Request, 'body'>, expiresInSeconds: number): Promise<string> {
    const url = this.urlOf(request, this.publicBase);
    url.searchParams.set('X-Amz-Expires', String(expiresInSeconds));
    const { method, headers = {} } = request;
    const signed = { method, url: url.href, headers, signQuery: true, allHeaders: true };
    const signer = new AwsV4Signer({ ...this.signing(), ...signed });
    return (await signer.sign()).url.href;
  }

  close(): void {
    this.agent.destroy();
  }

  private async once(request: S3Request): Promise<IncomingMessage> {
    const { method, body = EMPTY } = request;
    const url = this.urlOf(request);
    const headers = { ...(await this.signed(request, url)), 'content-length': String(body.length) };
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
      const sent = send(url, { method, headers, agent: this.agent });
      sent.setTimeout(IDLE_MS, () => sent.destroy(new Error('The object store does not respond.')));
      sent.once('error', reject);
      sent.once('response', (answer) => {
        sent.setTimeout(PAUSE_MS);
        // A reader of the body gets the error. Without a reader it can be ignored.
        answer.on('error', () => undefined);
        resolve(answer);
      });
      sent.end(body);
    });
  }

  private urlOf({ key, query = {} }: S3Request, base = this.base): URL {
    const url = new URL(base);
    if (key !== undefined) url.pathname += key;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  private async signed({ method, headers, body = EMPTY }: S3Request, url: URL): Promise<Record<string, string>> {
    const all = { ...headers, 'x-amz-content-sha256': hash('sha256', body, 'hex') };
    const signer = new AwsV4Signer({ ...this.signing(), method, url: url.href, headers: all });
    return Object.fromEntries((await signer.sign()).headers);
  }

  private signing(): SigningOptions {
    const { accessKeyId, secretAccessKey, region } = this.settings;
    const datetime = new Date(this.now() + this.skewMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
    return { accessKeyId, secretAccessKey, region, service: 's3', cache: this.keys, datetime };
  }

  /** Stores the clock skew if it caused a refusal. Returns whether it is new. */
  private noteSkew({ statusCode, headers: { date } }: IncomingMessage): boolean {
    const skewMs = Date.parse(date ?? '') - this.now();
    if (statusCode !== 403 || !(Math.abs(skewMs - this.skewMs) > SKEW_MS)) return false;
    this.skewMs = skewMs;
    return true;
  }
}

function bucketUrl({ bucket, forcePathStyle }: S3Settings, endpoint: string): URL {
  const url = new URL(endpoint);
  if (!forcePathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${forcePathStyle ? `${bucket}/` : ''}`;
  return url;
}

async function refusal(request: S3Request, answer: IncomingMessage): Promise<S3Fault> {
  const body = await text(answer).catch(() => '');
  return new S3Fault(answer.statusCode ?? 500, textOf(body, 'Code') ?? '', request);
}

/** Maps errors of the store. @throws AppError `storage_full`, `service_unavailable`. */
export async function mapFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError || cause instanceof ObjectMissing) throw cause;
    if (cause instanceof S3Fault && (FULL.has(cause.code) || cause.status === 507))
      throw new AppError('storage_full', { cause });
    throw new AppError('service_unavailable', { retryAfterSeconds: 1, cause });
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof S3Fault && error.status === MISSING;
}

/** Returns null for a missing object or upload. */
export function unlessMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

export function elementsOf(xml: string, name: string): readonly string[] {
  const found = xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`, 'g'));
  return [...found].map(([, inside = '']) => inside);
}

export function textOf(xml: string, name: string): string | undefined {
  return elementsOf(xml, name)[0]?.replace(ENTITY, (entity, named?: string, decimal?: string, hex?: string) => {
    if (named !== undefined) return ENTITIES[named.toLowerCase()] ?? entity;
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : entity;
  });
}
