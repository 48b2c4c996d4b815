import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { AnswersData } from '../../platform/http/output/documentation.decorators.js';
import { MetricReadings } from '../../platform/metrics/metric-readings.service.js';

const TYPES = ['gauge', 'counter'] as const;

/** The process that sends the response. With several workers, it is one of them. */
class AnsweringProcess {
  @ApiProperty({ format: 'date-time' }) readonly started_at: string;
  @ApiProperty({ description: 'Version of Node.js.' }) readonly node: string;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of the worker (`WORKERS`); null with a single process.',
  })
  readonly worker: number | null;
  @ApiProperty({ type: 'integer', description: 'Resident set size of the process, in bytes.' })
  readonly memory_bytes: number;
  @ApiProperty({ description: 'CPU time of the process since its start, in seconds.' })
  readonly processor_seconds: number;
}

/** A value of a metric, with its labels. */
class MeasuredValue {
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  readonly labels: Readonly<Record<string, string>>;
  @ApiProperty() readonly value: number;
}

/** A metric and its values. */
class MeasuredMetric {
  @ApiProperty({ description: 'Name of the metric in the Prometheus output.' }) readonly name: string;
  @ApiProperty() readonly help: string;
  @ApiProperty({ enum: TYPES, description: '`counter`: increases until the process ends.' })
  readonly type: (typeof TYPES)[number];
  @ApiProperty({ type: [MeasuredValue] }) readonly values: readonly MeasuredValue[];
}

/** The current metrics. */
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
    summary: 'Get the current metrics',
    description:
      'Counters and memory values belong to the process that sends the response. Metrics that cannot be read are omitted.',
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
