export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the process has ended, with the reason for the log. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}
