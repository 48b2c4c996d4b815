/** Returns the time, for everything that expires. Tests set it. It never goes back, and both methods agree within a second. */
export abstract class Clock {
  /** Returns the present moment, as a new object at each call. */
  abstract now(): Date;

  /** Returns the present moment in milliseconds since the epoch. */
  nowMs(): number {
    return this.now().getTime();
  }
}

/** The machine's clock. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }

  override nowMs(): number {
    return Date.now();
  }
}

declare module './ports.js' {
  interface KnownPorts {
    readonly clock: Clock;
  }
}
