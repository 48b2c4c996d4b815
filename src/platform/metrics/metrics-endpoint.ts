import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config/config.types.js';
import { OperatorError } from '../../kernel/errors/definition-error.js';

type MetricsAddress = NonNullable<Config['metrics']>;

/** @internal */
const MAX_CONNECTIONS = 32;
const REQUEST_LIMIT_MS = 10_000;
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export class MetricsListenError extends OperatorError {
  constructor({ host, port }: MetricsAddress, cause: unknown) {
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    super(`/metrics cannot listen on ${host}, port ${port} (${code}). Change METRICS_PORT or METRICS_HOST.`, {
      cause,
    });
  }
}

/** Serves `/metrics` for Prometheus on a separate port. */
export class MetricsEndpoint {
  private readonly server: Server;
  private writing: Promise<string> | null = null;

  /** @param failed is called with the error if `write` fails. */
  constructor(
    private readonly address: MetricsAddress,
    private readonly write: () => Promise<string>,
    private readonly failed: (error: unknown) => void,
  ) {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.requestTimeout = REQUEST_LIMIT_MS;
  }

  /** @throws MetricsListenError */
  async listen(): Promise<void> {
    try {
      await once(this.server.listen(this.address.port, this.address.host), 'listening');
    } catch (error) {
      throw new MetricsListenError(this.address, error);
    }
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  get url(): string {
    const address = this.server.address() as AddressInfo | null;
    if (address === null) return '';
    return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}/metrics`;
  }

  private async answer({ method = '', url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('x-content-type-options', 'nosniff').setHeader('cache-control', 'no-store');
    if (url.split('?', 1)[0] !== '/metrics') return end(response, 404);
    if (method !== 'GET' && method !== 'HEAD') return end(response.setHeader('allow', 'GET, HEAD'), 405);
    try {
      const text = await this.text();
      response.setHeader('content-type', CONTENT_TYPE);
      end(response, 200, method === 'GET' ? text : '');
    } catch (error) {
      this.failed(error);
      end(response, 500);
    }
  }

  private text(): Promise<string> {
    this.writing ??= this.write().finally(() => (this.writing = null));
    return this.writing;
  }
}

function end(response: ServerResponse, status: number, text = ''): void {
  response.writeHead(status).end(text);
}

/** Joins the metrics of several processes, whose lines differ by a label. The help and the type of a metric are written once. */
export function joinMetrics(texts: readonly string[]): string {
  const lines = new Map<string, string[]>();
  for (const block of texts.flatMap((text) => text.trim().split(/\n\n+/))) {
    const [help = '', type = '', ...values] = block.split('\n');
    const head = `${help}\n${type}`;
    lines.set(head, [...(lines.get(head) ?? []), ...values]);
  }
  return [...lines].map(([head, values]) => `${[head, ...values].join('\n')}\n`).join('\n');
}
