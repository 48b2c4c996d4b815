/** Returns the time for everything that expires. Tests can set it. It never goes back, and both methods agree within a second. */
export abstract class Clock {
  /** Returns the current time, as a new object at each call. */
  abstract now(): Date;

  /** Returns the current time in milliseconds since 1970. */
  nowMs(): number {
    return this.now().getTime();
  }
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }

  override nowMs(): number {
    return Date.now();
  }
}
