import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import type { Reading } from '../../kernel/metrics.js';
import { Measures } from '../metrics/measures.decorator.js';
import { JobRunners } from './job-runners.service.js';

const STATES = ['waiting', 'due', 'running', 'failed'] as const;

const COUNT = `SELECT kind, count(*) FILTER (WHERE state = 'due' AND due_at > $1 AND claim_id IS NULL)::int AS waiting,
    count(*) FILTER (WHERE state = 'due' AND due_at <= $1)::int AS due,
    count(*) FILTER (WHERE state = 'due' AND due_at > $1 AND claim_id IS NOT NULL)::int AS running,
    count(*) FILTER (WHERE state <> 'due')::int AS failed,
    coalesce(extract(epoch FROM $1 - min(due_at) FILTER (WHERE state = 'due' AND due_at <= $1)), 0)::float8 AS late
  FROM background_jobs GROUP BY kind`;

type Row = Readonly<Record<(typeof STATES)[number] | 'late', number>> & { readonly kind: string };

@Injectable()
export class JobMeasures {
  constructor(
    private readonly dataSource: DataSource,
    private readonly runners: JobRunners,
    private readonly clock: Clock,
  ) {}

  private get kinds(): readonly string[] {
    return this.runners.collect().names;
  }

  @Measures({ name: 'lintel_jobs', help: 'Background jobs of all instances, by kind and state.' })
  async jobs(): Promise<readonly Reading[]> {
    const rows = await this.rows();
    return [...this.kinds, 'other'].flatMap((kind) =>
      STATES.map((state) => ({
        labels: { kind, state },
        value: rows.filter((row) => this.nameOf(row) === kind).reduce((sum, row) => sum + row[state], 0),
      })),
    );
  }

  @Measures({
    name: 'lintel_jobs_late_seconds',
    help: 'Waiting time of the oldest due job of each kind, in seconds.',
  })
  async late(): Promise<readonly Reading[]> {
    const rows = await this.rows();
    return [...this.kinds, 'other'].map((kind) => ({
      labels: { kind },
      value: Math.max(0, ...rows.filter((row) => this.nameOf(row) === kind).map(({ late }) => late)),
    }));
  }

  /** Returns the label of a kind. The table may contain kinds that this release does not know. */
  private nameOf({ kind }: Row): string {
    return this.kinds.includes(kind) ? kind : 'other';
  }

  private rows(): Promise<readonly Row[]> {
    return this.dataSource.query<Row[]>(COUNT, [this.clock.now()]);
  }
}
