import { Clock } from '../kernel/clock.port.js';

/** The real clock, before a test replaces it. */
const machineNow = Date.now.bind(Date);

/** A clock for tests that can be set and advanced. It then runs at the speed of the system clock. */
export class TestClock extends Clock {
  private offsetMs = 0;

  /** @param start start time. Default: the current time. */
  constructor(start?: Date) {
    super();
    if (start !== undefined) this.set(start);
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  override nowMs(): number {
    return machineNow() + this.offsetMs;
  }

  /** Advances the time by seconds. */
  advance(seconds: number): void {
    this.offsetMs += seconds * 1_000;
  }

  /** Sets the time. The clock continues from there. */
  set(time: Date): void {
    this.offsetMs = time.getTime() - machineNow();
  }
}
