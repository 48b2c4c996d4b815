import { hash } from 'node:crypto';
import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { AppError } from '../../../../kernel/app-error.js';
import { ObjectMissing } from '../file-storage.port.js';
import { textOf } from './s3-answers.js';

/** A bucket, and who may write into it. */
export interface S3Settings {
  readonly endpoint: string;
  /** Address under which clients reach it that send to it themselves. */
  readonly publicEndpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the bucket stands in the path; otherwise it is a part of the host. */
  readonly forcePathStyle: boolean;
}

/** A request to a bucket. */
export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Left out for one about the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

type SigningOptions = Pick<
  ConstructorParameters<typeof AwsV4Signer>[0],
  'accessKeyId' | 'secretAccessKey' | 'region' | 'service' | 'cache' | 'datetime'
>;

/** A refusal of the store, by its status and by its own word for it. */
export class S3Fault extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    request: S3Request,
  ) {
    super(`${request.method} of ${request.key ?? 'the bucket'} was refused: ${status} ${code}`);
  }
}

const TRIES = 5;
const FIRST_WAIT_MS = 100;
/** Without a byte in either direction a connection is given up. */
const IDLE_MS = 30_000;
/** As long as that whoever reads may pause. */
const PAUSE_MS = 600_000;
const CONNECTIONS = 64;
/** Stores take a time that is less than 15 minutes off. */
const SKEW_MS = 240_000;
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const EMPTY = new Uint8Array();
const FULL: ReadonlySet<string> = new Set(['QuotaExceeded', 'XMinioStorageFull', 'StorageFull']);
const MISSING = 404;

/**
 * Speaks to one bucket of a store that speaks S3: signs each request (AWS Signature Version 4) with the digest of its body, and tries it
 * again where the store is busy, the connection breaks or our clock is off.
 */
export class S3Client {
  private readonly base: URL;
  private readonly publicBase: URL;
  private readonly agent: PlainAgent | TlsAgent;
  /** Keys of a day, which cost more than a signature. */
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

  /**
   * Returns the answer to a request, its body not read.
   *
   * @throws S3Fault for a refusal, and what the connection says, once trying again is in vain.
   */
  async send(request: S3Request): Promise<IncomingMessage> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.once(request).catch((error: Error) => error);
      if (!(answer instanceof Error) && (answer.statusCode ?? 500) < 300) return answer;
      const fault = answer instanceof Error ? answer : await refusal(request, answer);
      const isLate = !(answer instanceof Error) && this.noteSkew(answer);
      const mayPass = !(fault instanceof S3Fault) || PASSING.has(fault.status) || isLate;
      if (tries === TRIES || !mayPass) throw fault;
      if (!isLate) await delay(FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random()));
    }
  }

  /** Returns the body of an answer, which is small, as text. */
  async text(request: S3Request): Promise<string> {
    return text(await this.send(request));
  }

  /** Sends a request of whose answer nothing is wanted but its headers. */
  async headers(request: S3Request): Promise<IncomingMessage['headers']> {
    const answer = await this.send(request);
    answer.resume();
    return answer.headers;
  }

  /**
   * Returns an address by which somebody else makes a request, once or more often until it is over. All headers are signed, so that it is
   * good for these alone; of the body the address itself says nothing.
   */
  async presign(request: Omit<S3Request, 'body'>, expiresInSeconds: number): Promise<string> {
    const url = this.urlOf(request, this.publicBase);
    url.searchParams.set('X-Amz-Expires', String(expiresInSeconds));
    const { method, headers = {} } = request;
    const signer = new AwsV4Signer({
      ...this.signing(),
      method,
      url: url.href,
      headers,
      signQuery: true,
      allHeaders: true,
    });
    return (await signer.sign()).url.href;
  }

  /** Closes the connections that are kept. */
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
      sent.setTimeout(IDLE_MS, () => sent.destroy(new Error('The store does not answer.')));
      sent.once('error', reject);
      sent.once('response', (answer) => {
        sent.setTimeout(PAUSE_MS);
        // Who reads it hears of a connection that breaks; if nobody does, it is no matter.
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

  /** Returns who signs, and when by the clock of the store. */
  private signing(): SigningOptions {
    const { accessKeyId, secretAccessKey, region } = this.settings;
    const datetime = new Date(this.now() + this.skewMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
    return { accessKeyId, secretAccessKey, region, service: 's3', cache: this.keys, datetime };
  }

  /** Notes how far our clock is off that of the store, if that is why it refuses; returns whether it was not known. */
  private noteSkew({ statusCode, headers: { date } }: IncomingMessage): boolean {
    const skewMs = Date.parse(date ?? '') - this.now();
    if (statusCode !== 403 || !(Math.abs(skewMs - this.skewMs) > SKEW_MS)) return false;
    this.skewMs = skewMs;
    return true;
  }
}

/** Returns the bucket as a part of the path, or of the host (virtual-hosted style). */
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

/**
 * Asks a store. What it cannot do now it may do later; whoever sent a file is told that, and the log the rest.
 *
 * @throws AppError `storage_full`, `service_unavailable`.
 */
export async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError || cause instanceof ObjectMissing) throw cause;
    if (cause instanceof S3Fault && (FULL.has(cause.code) || cause.status === 507))
      throw new AppError('storage_full', { cause });
    throw new AppError('service_unavailable', { retryAfterSeconds: 1, cause });
  }
}

/** Returns whether a store says that there is no such object, or upload. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3Fault && error.status === MISSING;
}

/** Answers null for what is missing. */
export function unlessMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
