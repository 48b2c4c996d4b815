import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metric, Registry } from 'prom-client';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { MetricReadings } from './metric-readings.service.js';
import { MetricsListenError } from './metrics.errors.js';
import { type RequestValue, RequestTimes } from './request-times.service.js';

/** A metric as the library reads it. */
interface Source {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  read(): Promise<readonly RequestValue[]>;
}

const MOST_CONNECTIONS = 32;
const REQUEST_LIMIT_MS = 10_000;
const DURATION = 'lintel_http_request_duration_seconds';

/** What the process says of itself whatever the application is: memory, processor, event loop. One for all applications in it. */
let processRegistry: Registry | undefined;

/** Offers `/metrics` for Prometheus on a port of its own (CONTRACT §13). Where that is not set nothing is loaded. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private server: Server | undefined;
  private registries: readonly Registry[] = [];
  private writing: Promise<string> | null = null;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly readings: MetricReadings,
    private readonly requests: RequestTimes,
    private readonly http: HttpAdapterHost,
  ) {}

  /** @throws MetricsListenError */
  async onApplicationBootstrap(): Promise<void> {
    const { metrics } = this.config;
    if (metrics === null || !this.http.httpAdapter) return;
    this.registries = await this.makeRegistries();
    const server = createServer((request, response) => void this.answer(request, response));
    server.maxConnections = MOST_CONNECTIONS;
    server.requestTimeout = REQUEST_LIMIT_MS;
    this.server = server;
    try {
      await once(server.listen(metrics.port, metrics.host), 'listening');
    } catch (error) {
      throw new MetricsListenError(metrics, error);
    }
    this.logger.log({ url: this.url, msg: 'The metrics can be read.' });
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (server?.listening !== true) return;
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }

  /** Where the metrics are read; empty if they are off. */
  get url(): string {
    const address = this.server?.address() as AddressInfo | null | undefined;
    if (!address) return '';
    return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}/metrics`;
  }

  private async makeRegistries(): Promise<readonly Registry[]> {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    if (processRegistry === undefined) {
      processRegistry = new Registry();
      collectDefaultMetrics({ register: processRegistry });
    }
    const own = new Registry();
    for (const source of this.sources()) own.registerMetric(asMetric(source));
    return [own, processRegistry];
  }

  private sources(): readonly Source[] {
    const { requests } = this;
    return [
      ...this.readings.collect().map(({ name, help, type, read }): Source => {
        return {
          name,
          help,
          type,
          read: async () => (await read()).map(({ labels = {}, value }) => ({ labels, value })),
        };
      }),
      {
        name: 'lintel_http_requests_total',
        help: 'Requests that were answered, by method, pattern of the route, and status.',
        type: 'counter',
        read: () => Promise.resolve(requests.requests()),
      },
      {
        name: DURATION,
        help: 'Time from the head of a request to the end of its answer.',
        type: 'histogram',
        read: () => Promise.resolve(requests.histogram(DURATION)),
      },
    ];
  }

  private async answer({ method = '', url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('x-content-type-options', 'nosniff').setHeader('cache-control', 'no-store');
    if (url.split('?', 1)[0] !== '/metrics') return end(response, 404);
    if (method !== 'GET' && method !== 'HEAD') return end(response.setHeader('allow', 'GET, HEAD'), 405);
    try {
      const text = await this.write();
      response.setHeader('content-type', this.registries[0]?.contentType ?? 'text/plain');
      end(response, 200, method === 'GET' ? text : '');
    } catch (err) {
      this.logger.error({ err, msg: 'The metrics could not be read.' });
      end(response, 500);
    }
  }

  /** Several who ask at once get one answer. */
  private write(): Promise<string> {
    this.writing ??= Promise.all(this.registries.map((registry) => registry.metrics()))
      .then((texts) => texts.join('\n'))
      .finally(() => (this.writing = null));
    return this.writing;
  }
}

function end(response: ServerResponse, status: number, text = ''): void {
  response.writeHead(status).end(text);
}

/** The library reads nothing else of a metric than this, and types it as its own classes. */
function asMetric({ name, help, type, read }: Source): Metric {
  const get = async () => ({ name, help, type, values: await read(), aggregator: 'sum' });
  return { name, get } as unknown as Metric;
}
