import { Clock } from 'lintel';

/** Never goes back, also where the time of the machine is corrected: what has expired stays so. */
export class SteadyClock extends Clock {
  private latestMs = 0;

  now(): Date {
    return new Date(this.nowMs());
  }

  override nowMs(): number {
    this.latestMs = Math.max(this.latestMs, Date.now());
    return this.latestMs;
  }
}
