import { Clock } from 'lintel';

/** Does not go back when the system time is corrected, so that expired items stay expired. */
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
