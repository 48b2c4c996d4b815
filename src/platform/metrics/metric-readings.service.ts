import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { assertDistinct } from '../../kernel/errors/definition-error.js';
import { counters, defineCounter, type MetricDefinition, type Reading } from '../../kernel/metrics.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import type { MarkedMethod } from '../extension/marked-methods.js';
import { type Measure, type Measured, MEASURES } from './measures.decorator.js';

export interface ReadableMetric extends MetricDefinition {
  readonly type: 'gauge' | 'counter';
  read(): Promise<readonly Reading[]>;
}

const FAILURES = defineCounter({
  name: 'lintel_measure_failures_total',
  help: 'Metrics that could not be read, by name.',
  labels: { metric: [] },
});

/** Below the usual timeout of scrapers. */
const READ_LIMIT_MS = 3_000;

@Injectable()
export class MetricReadings {
  private readonly logger = new Logger('Metrics');
  private collected: readonly ReadableMetric[] | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for two metrics of one name. */
  collect(): readonly ReadableMetric[] {
    return (this.collected ??= this.find());
  }

  private find(): readonly ReadableMetric[] {
    const counted = counters().map((counter): ReadableMetric => ({
      ...counter.definition,
      type: 'counter',
      read: () => Promise.resolve(counter.readings()),
    }));
    const measured = MEASURES.collect(this.discovery).map((method) => this.readable(method));
    const metrics = [...measured, ...counted];
    assertDistinct(
      metrics.map(({ name }) => name),
      'Two metrics have the name',
    );
    FAILURES.allow(
      'metric',
      metrics.map(({ name }) => name),
    );
    return metrics;
  }

  private readable({ declaration, run }: MarkedMethod<Measure>): ReadableMetric {
    const { name, help, type = 'gauge', cacheMs = 0 } = declaration;
    let cached: { readonly readings: readonly Reading[]; readonly until: number } | undefined;
    let failing = false;
    const read = async (): Promise<readonly Reading[]> => {
      if (cached !== undefined && performance.now() < cached.until) return cached.readings;
      try {
        const measured = await withTimeLimit(READ_LIMIT_MS, run as () => Measured | Promise<Measured>);
        const readings = typeof measured === 'number' ? [{ value: measured }] : measured;
        cached = { readings, until: performance.now() + cacheMs };
        failing = false;
        return readings;
      } catch (err) {
        FAILURES.inc({ metric: name });
        if (!failing) this.logger.warn({ err, metric: name, msg: 'A metric cannot be read and is omitted.' });
        failing = true;
        return [];
      }
    };
    return { name, help, type, read };
  }
}
