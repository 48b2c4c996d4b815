import { Injectable } from '@nestjs/common';
import { Clock, type NamedRateLimit, type RateLimitResult, RateLimitStore } from 'lintel';

/** Counts attempts in memory. This needs a single process; several processes need a shared store. */
@Injectable()
export class MemoryRateLimitStore extends RateLimitStore {
  private readonly periods = new Map<string, { used: number; readonly endsAt: number }>();

  constructor(private readonly clock: Clock) {
    super();
  }

  async consume({ name, points, durationSeconds }: NamedRateLimit, key: string): Promise<RateLimitResult> {
    const now = this.clock.nowMs();
    const known = this.periods.get(`${name} ${key}`);
    const isRunning = known !== undefined && known.endsAt > now;
    const period = isRunning ? known : { used: 0, endsAt: now + durationSeconds * 1_000 };
    period.used += 1;
    this.periods.set(`${name} ${key}`, period);
    return { isAllowed: period.used <= points, msBeforeNext: period.endsAt - now };
  }

  async refund({ name }: NamedRateLimit, key: string): Promise<void> {
    const period = this.periods.get(`${name} ${key}`);
    if (period !== undefined && period.used > 0) period.used -= 1;
  }

  async reset({ name }: NamedRateLimit, key: string): Promise<void> {
    this.periods.delete(`${name} ${key}`);
  }
}
