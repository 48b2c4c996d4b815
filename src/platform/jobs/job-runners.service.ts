import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { assertDistinct, DefinitionError } from '../../kernel/errors/definition-error.js';
import { isRunner, RUNS_JOB, type Schedule, SCHEDULED } from './job.decorators.js';
import type { Job, JobKind } from './job-kind.js';
import { assertSchedule, type Timing, timingOf } from './schedule-timing.js';

export interface JobRunner {
  readonly kind: JobKind;
  run(job: Job): Promise<void>;
}

export interface ScheduledRunner {
  readonly name: string;
  readonly timing: Timing;
  readonly missed: 'once' | 'skip';
  /** Whether every process runs it, instead of one process. */
  readonly onEach: boolean;
  run(): Promise<unknown>;
}

interface CollectedRunners {
  readonly jobs: readonly JobRunner[];
  readonly schedules: readonly ScheduledRunner[];
}

interface Runner {
  readonly instance: Record<string, unknown>;
  readonly name: string;
  readonly method: object;
  /** `Class.method`. */
  readonly label: string;
}

@Injectable()
export class JobRunners {
  private collected: CollectedRunners | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws DefinitionError for a duplicate name, and for a method that could never run. */
  collect(): CollectedRunners {
    return (this.collected ??= this.find());
  }

  sharedNames(): readonly string[] {
    const { jobs, schedules } = this.collect();
    return [...jobs.map(({ kind }) => kind.name), ...schedules.filter(({ onEach }) => !onEach).map(({ name }) => name)];
  }

  private find(): CollectedRunners {
    const jobs: JobRunner[] = [];
    const schedules: ScheduledRunner[] = [];
    for (const { instance, name, method, label } of this.methods()) {
      const call = (job?: Job): Promise<void> => (instance[name] as (job?: Job) => Promise<void>).call(instance, job);
      if (Reflect.hasMetadata(RUNS_JOB, method)) assertKind(Reflect.getMetadata(RUNS_JOB, method), label);
      const kind = Reflect.getMetadata(RUNS_JOB, method) as JobKind | undefined;
      const schedule = Reflect.getMetadata(SCHEDULED, method) as Schedule | undefined;
      if (kind !== undefined) jobs.push({ kind, run: call });
      if (schedule !== undefined) schedules.push(scheduledRunner(schedule, label, call));
    }
    const names = [...jobs.map(({ kind }) => kind.name), ...schedules.map(({ name }) => name)];
    assertDistinct(names, 'Two methods run the job');
    return { jobs, schedules };
  }

  private methods(): readonly Runner[] {
    const idle = this.discovery.getControllers().flatMap((wrapper) => this.runnersOf(wrapper))[0];
    if (idle !== undefined)
      throw new DefinitionError(`${idle.label} runs in the background: its class must be a provider.`);
    const found = new Map<object, readonly Runner[]>();
    for (const wrapper of this.discovery.getProviders()) {
      const runners = this.runnersOf(wrapper);
      const [passing] = wrapper.isTransient || !wrapper.isDependencyTreeStatic() ? runners : [];
      if (passing !== undefined)
        throw new DefinitionError(`${passing.label} runs in the background: its class must be a singleton.`);
      if (runners.length > 0) found.set(wrapper.instance as object, runners);
    }
    return [...found.values()].flat();
  }

  private runnersOf({ instance }: { readonly instance: unknown }): readonly Runner[] {
    if (typeof instance !== 'object' || instance === null) return [];
    const prototype = Object.getPrototypeOf(instance) as object | null;
    if (prototype === null) return [];
    const record = instance as Record<string, unknown>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const method = record[name];
      if (typeof method !== 'function' || !isRunner(method)) return [];
      return [{ instance: record, name, method, label: `${prototype.constructor.name}.${name}` }];
    });
  }
}

/** @throws DefinitionError for a missing kind. An import cycle can leave it undefined. */
function assertKind(kind: unknown, label: string): void {
  const { name } = Object(kind) as Partial<JobKind>;
  if (typeof name === 'string' && name !== '') return;
  throw new DefinitionError(
    `${label} runs jobs of no kind: give it what defineJob made, from a file that does not import this one.`,
  );
}

/** @throws DefinitionError for an invalid schedule. */
function scheduledRunner(schedule: Schedule, label: string, run: () => Promise<unknown>): ScheduledRunner {
  assertSchedule(schedule, label);
  return {
    name: schedule.name ?? label,
    timing: timingOf(schedule),
    missed: 'cron' in schedule ? (schedule.missed ?? 'once') : 'once',
    onEach: 'everyMs' in schedule && schedule.on === 'each instance',
    run,
  };
}
