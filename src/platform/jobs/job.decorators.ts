import { SetMetadata } from '@nestjs/common';
import type { Job, JobKind } from './job-kind.js';

/** Metadata of a method that runs jobs. */
export const RUNS_JOB = Symbol('RUNS_JOB');
/** Metadata of a method that runs on a schedule. */
export const RUNS_EVERY = Symbol('RUNS_EVERY');

/** Describes a recurrence. */
export interface Recurrence {
  /** Dotted and unique: it stands in the table. */
  readonly name: string;
  readonly everyMs: number;
  /**
   * `one instance` of all runs it each time, and another takes over if that one dies; `each instance` runs its own, in
   * memory.
   */
  readonly on?: 'one instance' | 'each instance';
}

type MethodOf<Run> = <T extends Run>(target: object, name: string | symbol, method: TypedPropertyDescriptor<T>) => void;

/** Returns whether a method is marked by {@link RunsJob} or {@link RunsEvery}. */
export function isRunner(method: object): boolean {
  return Reflect.hasMetadata(RUNS_JOB, method) || Reflect.hasMetadata(RUNS_EVERY, method);
}

/** Runs the jobs of a kind with this method of a provider: at least once each, normally once. */
export function RunsJob<Payload extends object>(
  kind: JobKind<Payload>,
): MethodOf<(job: Job<Payload>) => Promise<void>> {
  return SetMetadata(RUNS_JOB, kind);
}

/** Runs this method of a provider again and again, as long as the application serves. */
export function RunsEvery(recurrence: Recurrence): MethodOf<() => Promise<unknown>> {
  return SetMetadata(RUNS_EVERY, recurrence);
}
