import { readFileSync } from 'node:fs';

/** Adds up the processor time of all processes of a local PostgreSQL (Linux). Ended processes keep their last value. */
export class DatabaseTime {
  #seen = new Map();

  /** @param client connected to the server; its own backend is excluded. */
  constructor(client) {
    this.client = client;
  }

  async micros() {
    const { rows } = await this.client.query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    for (const { pid } of rows) {
      const micros = processorMicros(pid);
      if (micros !== null) this.#seen.set(pid, micros);
    }
    return [...this.#seen.values()].reduce((sum, one) => sum + one, 0);
  }
}

/** Returns the processor time of a process, in µs. The first number of `schedstat` is that time in nanoseconds (proc_pid_schedstat). */
function processorMicros(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  } catch {
    return null;
  }
}
