import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { assertDistinct } from '../../kernel/definition-error.js';
import { type Recurrence, RUNS_EVERY, RUNS_JOB } from './job.decorators.js';
import type { Job, JobKind } from './job-kind.js';

/** A method that runs the jobs of a kind. */
export interface JobRunner {
  readonly kind: JobKind;
  run(job: Job): Promise<void>;
}

/** A method that runs again and again. */
export interface ScheduledRunner extends Required<Recurrence> {
  run(): Promise<unknown>;
}

/** Everything of the application that runs in the background, collected from its providers. */
@Injectable()
export class JobRunners {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /**
   * Collects what is declared by {@link RunsJob} and {@link RunsEvery}.
   *
   * @throws DefinitionError for two runners of one name.
   */
  collect(): { readonly jobs: readonly JobRunner[]; readonly schedules: readonly ScheduledRunner[] } {
    const jobs: JobRunner[] = [];
    const schedules: ScheduledRunner[] = [];
    for (const { instance, name, method } of this.methods()) {
      const call = (job?: Job): Promise<void> => (instance[name] as (job?: Job) => Promise<void>).call(instance, job);
      const kind = Reflect.getMetadata(RUNS_JOB, method) as JobKind | undefined;
      const recurrence = Reflect.getMetadata(RUNS_EVERY, method) as Recurrence | undefined;
      if (kind !== undefined) jobs.push({ kind, run: call });
      if (recurrence !== undefined) schedules.push({ on: 'one instance', ...recurrence, run: call });
    }
    const names = [...jobs.map(({ kind }) => kind.name), ...schedules.map(({ name }) => name)];
    assertDistinct(names, 'Two methods run the job');
    return { jobs, schedules };
  }

  private methods(): readonly { instance: Record<string, unknown>; name: string; method: object }[] {
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    return [...instances].flatMap((instance) => {
      if (typeof instance !== 'object' || instance === null) return [];
      const prototype = Object.getPrototypeOf(instance) as object | null;
      if (prototype === null) return [];
      const record = instance as Record<string, unknown>;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const method = record[name];
        return typeof method === 'function' ? [{ instance: record, name, method }] : [];
      });
    });
  }
}
