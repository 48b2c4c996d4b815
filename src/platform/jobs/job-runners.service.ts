import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { assertDistinct, DefinitionError } from '../../kernel/errors/definition-error.js';
import type { MarkedMethod } from '../extension/marked-methods.js';
import { JOB_RUNNERS, type Schedule, SCHEDULES } from './job.decorators.js';
import type { Job, JobKind } from './jobs.public.js';
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
  /** Names of all of them. */
  readonly names: readonly string[];
}

@Injectable()
export class JobRunners {
  private collected: CollectedRunners | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for a duplicate name, and for a method that could never run. */
  collect(): CollectedRunners {
    return (this.collected ??= this.find());
  }

  sharedNames(): readonly string[] {
    const { jobs, schedules } = this.collect();
    return [...jobs.map(({ kind }) => kind.name), ...schedules.filter(({ onEach }) => !onEach).map(({ name }) => name)];
  }

  private find(): CollectedRunners {
    const jobs = JOB_RUNNERS.collect(this.discovery).map(({ declaration: { kind }, name, run }) => {
      assertKind(kind, name);
      return { kind, run } as JobRunner;
    });
    const schedules = SCHEDULES.collect(this.discovery).map(scheduledRunner);
    const names = [...jobs.map(({ kind }) => kind.name), ...schedules.map(({ name }) => name)];
    assertDistinct(names, 'Two methods run the job');
    return { jobs, schedules, names };
  }
}

/** @throws DefinitionError for a missing kind. An import cycle can leave it undefined. */
function assertKind(kind: JobKind | undefined, label: string): void {
  const { name } = Object(kind) as Partial<JobKind>;
  if (typeof name === 'string' && name !== '') return;
  throw new DefinitionError(
    `${label} has no job kind. Pass it a result of defineJob(), from a file that does not import this file.`,
  );
}

/** @throws DefinitionError for an invalid schedule. */
function scheduledRunner({ declaration: schedule, name: label, run }: MarkedMethod<Schedule>): ScheduledRunner {
  assertSchedule(schedule, label);
  return {
    name: schedule.name ?? label,
    timing: timingOf(schedule),
    missed: 'cron' in schedule ? (schedule.missed ?? 'once') : 'once',
    onEach: 'everyMs' in schedule && schedule.on === 'each instance',
    run: run as ScheduledRunner['run'],
  };
}
