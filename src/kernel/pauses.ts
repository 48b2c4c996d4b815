import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Maximum time of work without a pause. A single step can take longer. */
const STRETCH_MS = 10;

/** Long work as a generator that yields after each step. */
export type Steps<Result> = Generator<undefined, Result>;

/** Runs all steps without a pause. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Runs all steps, and pauses between them for other requests. */
export async function runStepsWithPauses<Result>(steps: Steps<Result>): Promise<Result> {
  const pauses = new Pauses();
  let step = steps.next();
  while (step.done !== true) {
    await pauses.afterStep();
    step = steps.next();
  }
  return step.value;
}

/** Pauses long work between its steps, so that other requests are served. */
export class Pauses {
  private startedAt = performance.now();

  /** Call it after each step. Pauses only if the work has run for a while since the last pause. */
  async afterStep(): Promise<void> {
    if (performance.now() - this.startedAt < STRETCH_MS) return;
    await setImmediate();
    this.startedAt = performance.now();
  }
}
