import { Clock } from '../../src/kernel/clock.port.js';

/** The machine's own, from before any clock took its place. */
const machineNow = Date.now.bind(Date);

/** A clock turned by hand. It runs with the machine's. */
export class TestClock extends Clock {
  private offsetMs = 0;

  /** Makes libraries see its time, too, until another clock does, or the test file ends. */
  rule(): void {
    jest.spyOn(Date, 'now').mockImplementation(() => this.nowMs());
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
}
