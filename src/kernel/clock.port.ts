/** Tells the time. A test turns it by hand; everything that expires asks it. */
export abstract class Clock {
  /** Returns the present moment. */
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
