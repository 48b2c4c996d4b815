import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { assertDistinct } from '../../kernel/errors/definition-error.js';
import { counters, defineCounter, type MetricDefinition, type Reading } from '../../kernel/metrics.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
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

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

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
    const metrics = [...this.measures(), ...counted];
    assertDistinct(
      metrics.map(({ name }) => name),
      'Two metrics are called',
    );
    FAILURES.allow(
      'metric',
      metrics.map(({ name }) => name),
    );
    return metrics;
  }

  private measures(): ReadableMetric[] {
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    return [...instances].flatMap((instance) => {
      if (typeof instance !== 'object' || instance === null) return [];
      const prototype = Object.getPrototypeOf(instance) as object | null;
      const record = instance as Record<string, unknown>;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const method = record[name];
        const measure = typeof method === 'function' ? measureOf(method) : undefined;
        if (measure === undefined) return [];
        return this.readable(measure, async () => (record[name] as () => Measured | Promise<Measured>)());
      });
    });
  }

  private readable(measure: Measure, ask: () => Promise<Measured>): ReadableMetric {
    const { name, help, type = 'gauge', keepMs = 0 } = measure;
    let kept: { readonly readings: readonly Reading[]; readonly until: number } | undefined;
    let failing = false;
    const read = async (): Promise<readonly Reading[]> => {
      if (kept !== undefined && performance.now() < kept.until) return kept.readings;
      try {
        const measured = await withTimeLimit(READ_LIMIT_MS, ask());
        const readings = typeof measured === 'number' ? [{ value: measured }] : measured;
        kept = { readings, until: performance.now() + keepMs };
        failing = false;
        return readings;
      } catch (err) {
        FAILURES.inc({ metric: name });
        if (!failing) this.logger.warn({ err, metric: name, msg: 'A metric cannot be read; it is left out.' });
        failing = true;
        return [];
      }
    };
    return { name, help, type, read };
  }
}

function measureOf(method: object): Measure | undefined {
  return Reflect.getMetadata(MEASURES, method) as Measure | undefined;
}
