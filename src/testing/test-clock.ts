import { Clock } from '../kernel/clock.port.js';

/** The machine's own, from before any test took its place. */
const machineNow = Date.now.bind(Date);

/** A clock turned by hand. It runs with the machine's, from wherever it was set to. */
export class TestClock extends Clock {
  private offsetMs = 0;

  /** @param start the moment from which it runs; the present one unless given. */
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

  /** Moves the time forward. */
  advance(seconds: number): void {
    this.offsetMs += seconds * 1_000;
  }

  /** Runs on from a moment. */
  set(moment: Date): void {
    this.offsetMs = moment.getTime() - machineNow();
  }
}
