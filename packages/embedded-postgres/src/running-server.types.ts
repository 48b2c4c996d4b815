/** A PostgreSQL that runs and accepts connections. */
export interface ServerProcess {
  readonly pid: number;
  /** resolves when it is gone, whatever the reason, with words for the log */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}
