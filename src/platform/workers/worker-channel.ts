import cluster from 'node:cluster';
import type { WorkerSeat } from '../config/config.types.js';
import type { FromWorker, ToWorker } from './worker-messages.types.js';

/** Asks the supervisor which of the workers this process is. */
export function takeSeat(): Promise<WorkerSeat> {
  return new Promise((resolve) => {
    const hear = (message: unknown): void => {
      const said = message as Partial<ToWorker> | null;
      if (said?.lintel !== 'seat') return;
      process.off('message', hear);
      resolve((said as Extract<ToWorker, { lintel: 'seat' }>).seat);
    };
    process.on('message', hear);
    tell({ lintel: 'seat' });
  });
}

/**
 * Tells the supervisor that this process answers requests. From now on it asks itself to stop, and so finishes what it has,
 * if the supervisor is gone.
 */
export function tellReady(): void {
  tell({ lintel: 'ready' });
  const { worker } = cluster;
  worker?.once('disconnect', () => {
    // Node would end the process at once.
    worker.exitedAfterDisconnect = true;
    process.kill(process.pid, 'SIGTERM');
  });
}

/** Answers whenever the supervisor asks for the metrics of this process. What cannot be read is not answered. */
export function answerMetrics(write: () => Promise<string>): void {
  process.on('message', (message: unknown) => {
    const said = message as Partial<ToWorker> | null;
    if (said?.lintel !== 'question') return;
    const { id } = said as Extract<ToWorker, { lintel: 'question' }>;
    void write().then(
      (text) => tell({ lintel: 'answer', id, text }),
      () => undefined,
    );
  });
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
