import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../platform/config/config.types.js';
import { MetricsListenError } from '../platform/metrics/metrics.errors.js';
import { ListenError } from '../application/startup-errors.js';

interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * Checks the ports before anything is written. Migrations may take minutes.
 *
 * @throws ListenError MetricsListenError
 */
export async function assertPortsFree({ host, port, metrics, seat, jobs }: Config): Promise<void> {
  if (jobs.role !== 'work') await assertFree({ host, port }, (cause) => new ListenError({ host, port }, cause));
  // The supervisor of several workers serves the metrics of all of them.
  if (metrics !== null && seat === null) await assertFree(metrics, (cause) => new MetricsListenError(metrics, cause));
}

async function assertFree({ host, port }: Place, fault: (cause: unknown) => Error): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw fault(error);
  }
  await new Promise((closed) => server.close(closed));
}
