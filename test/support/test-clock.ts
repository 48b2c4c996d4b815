import { Clock } from '../../src/kernel/clock.port.js';

/** A clock turned by hand. It runs with the machine's; libraries that ask `Date.now()` see the same time. */
export class TestClock extends Clock {
  private readonly machineNow = Date.now.bind(Date);
  private offsetMs = 0;

  constructor() {
    super();
    jest.spyOn(Date, 'now').mockImplementation(() => this.nowMs());
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  override nowMs(): number {
    return this.machineNow() + this.offsetMs;
  }

  /** Moves the time forward. */
  advance(seconds: number): void {
    this.offsetMs += seconds * 1_000;
  }
}
