import { readFileSync } from 'node:fs';

/** Adds up the processor time of all processes of a PostgreSQL on this machine (Linux); what has ended keeps what it had. */
export class DatabaseTime {
  /** Processor time of each process that was seen, in µs. */
  #seen = new Map();

  /** @param client connected to the server; what it uses itself is left out. */
  constructor(client) {
    this.client = client;
  }

  /** Returns what has been used so far, in µs. */
  async micros() {
    const { rows } = await this.client.query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    for (const { pid } of rows) {
      const micros = processorMicros(pid);
      if (micros !== null) this.#seen.set(pid, micros);
    }
    return [...this.#seen.values()].reduce((sum, one) => sum + one, 0);
  }
}

/**
 * Returns the nanoseconds that a process was on a processor, in µs. The first number of `schedstat` is the time on a processor in
 * nanoseconds (proc_pid_schedstat).
 */
function processorMicros(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  } catch {
    return null;
  }
}
