import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Metric, Registry } from 'prom-client';
import type { MetricDefinition } from '../../kernel/metrics.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { answerMetrics } from '../workers/workers.public.js';
import { MetricReadings } from './metric-readings.service.js';
import { MetricsEndpoint } from './metrics-endpoint.js';
import { type RequestValue, RequestTimes } from './request-times.service.js';

interface Source extends MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  read(): Promise<readonly RequestValue[]>;
}

const DURATION = 'lintel_http_request_duration_seconds';

/** Metrics of the process itself: memory, CPU, event loop. All applications in the process share them. */
let processRegistry: Registry | undefined;

/** Serves the metrics on a separate port. A worker process sends them to its supervisor instead. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private endpoint: MetricsEndpoint | undefined;
  private registries: readonly Registry[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly readings: MetricReadings,
    private readonly requests: RequestTimes,
    private readonly http: HttpAdapterHost,
  ) {}

  /** @throws MetricsListenError */
  async onApplicationBootstrap(): Promise<void> {
    const { metrics, seat } = this.config;
    if (metrics === null || !this.http.httpAdapter) return;
    this.registries = await this.createRegistries();
    if (seat !== null) {
      for (const registry of this.registries) registry.setDefaultLabels({ worker: String(seat.number) });
      return answerMetrics(() => this.write());
    }
    this.endpoint = new MetricsEndpoint(
      metrics,
      () => this.write(),
      (err) => this.logger.error({ err, msg: 'The metrics could not be read.' }),
    );
    await this.endpoint.listen();
    this.logger.log({ url: this.url, msg: 'Metrics are available.' });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.endpoint?.close();
  }

  get url(): string {
    return this.endpoint?.url ?? '';
  }

  private async createRegistries(): Promise<readonly Registry[]> {
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
      ...this.readings.collect(),
      {
        name: 'lintel_http_requests_total',
        help: 'Completed requests, by method, route pattern and status.',
        type: 'counter',
        read: () => Promise.resolve(requests.requests()),
      },
      {
        name: DURATION,
        help: 'Time from the request headers to the end of the response.',
        type: 'histogram',
        read: () => Promise.resolve(requests.histogram(DURATION)),
      },
    ];
  }

  private async write(): Promise<string> {
    return (await Promise.all(this.registries.map((registry) => registry.metrics()))).join('\n');
  }
}

/** The library's type is a class, but it uses only these members. */
function asMetric({ name, help, type, read }: Source): Metric {
  const get = async () => {
    const values = (await read()).map((reading) => ({ labels: {}, ...reading }));
    return { name, help, type, values, aggregator: 'sum' };
  };
  return { name, get } as unknown as Metric;
}
