import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { AnswersData } from '../../platform/http/output/documentation.decorators.js';
import { MetricReadings } from '../../platform/metrics/metric-readings.service.js';

const TYPES = ['gauge', 'counter'] as const;

/** The process that answers: one of several where there are several. */
class AnsweringProcess {
  @ApiProperty({ format: 'date-time' }) readonly started_at: string;
  @ApiProperty({ description: 'The version of Node.js.' }) readonly node: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Which of the workers of `WORKERS` it is.' })
  readonly worker: number | null;
  @ApiProperty({ type: 'integer', description: 'What it has resident.' }) readonly memory_bytes: number;
  @ApiProperty({ description: 'What it has used of the processors since it started.' })
  readonly processor_seconds: number;
}

/** A value of a measure. */
class MeasuredValue {
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  readonly labels: Readonly<Record<string, string>>;
  @ApiProperty() readonly value: number;
}

/** Something that is measured. */
class MeasuredMetric {
  @ApiProperty({ description: 'As Prometheus reads it.' }) readonly name: string;
  @ApiProperty() readonly help: string;
  @ApiProperty({ enum: TYPES, description: '`counter`: grows while the process lives.' })
  readonly type: (typeof TYPES)[number];
  @ApiProperty({ type: [MeasuredValue] }) readonly values: readonly MeasuredValue[];
}

/** Measurement of the service at the moment. */
class Measurement {
  @ApiProperty() readonly process: AnsweringProcess;
  @ApiProperty({ type: [MeasuredMetric] }) readonly metrics: readonly MeasuredMetric[];
}

/** Returns the metrics for the console. Prometheus reads them on `METRICS_PORT`. */
@ApiTags('Service')
@Controller('api/metrics')
export class MetricsController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly readings: MetricReadings,
  ) {}

  @Get()
  @Resource('metrics.get')
  @ApiOperation({
    summary: 'What is measured at the moment',
    description: 'Counters and what concerns memory are of the process that answers. What cannot be read is left out.',
  })
  @AnswersData(Measurement)
  async get(): Promise<{ data: Measurement }> {
    const metrics = await Promise.all(
      this.readings.collect().map(async ({ name, help, type, read }) => {
        const values = (await read()).map(({ labels = {}, value }) => ({ labels, value }));
        return { name, help, type, values };
      }),
    );
    return { data: { process: this.process(), metrics: metrics.filter(({ values }) => values.length > 0) } };
  }

  private process(): AnsweringProcess {
    const { user, system } = process.cpuUsage();
    return {
      started_at: new Date(performance.timeOrigin).toISOString(),
      node: process.version,
      worker: this.config.seat?.number ?? null,
      memory_bytes: process.memoryUsage.rss(),
      processor_seconds: (user + system) / 1_000_000,
    };
  }
}
