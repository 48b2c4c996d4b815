import cluster from 'node:cluster';
import type { WorkerSeat } from '../config/config.types.js';
import type { FromWorker, ToWorker } from './worker-messages.types.js';

export function takeSeat(): Promise<WorkerSeat> {
  return new Promise((resolve) => {
    const receive = (message: unknown): void => {
      const received = message as Partial<ToWorker> | null;
      if (received?.lintel !== 'seat') return;
      process.off('message', receive);
      resolve((received as Extract<ToWorker, { lintel: 'seat' }>).seat);
    };
    process.on('message', receive);
    tell({ lintel: 'seat' });
  });
}

/** Reports to the supervisor that this process answers requests. After that, this process stops gracefully if the supervisor disappears. */
export function tellReady(): void {
  tell({ lintel: 'ready' });
  const { worker } = cluster;
  worker?.once('disconnect', () => {
    // Without this, Node would exit immediately.
    worker.exitedAfterDisconnect = true;
    process.kill(process.pid, 'SIGTERM');
  });
}

export function answerMetrics(write: () => Promise<string>): void {
  process.on('message', (message: unknown) => {
    const received = message as Partial<ToWorker> | null;
    if (received?.lintel !== 'question') return;
    const { id } = received as Extract<ToWorker, { lintel: 'question' }>;
    void write().then(
      (text) => tell({ lintel: 'answer', id, text }),
      () => undefined,
    );
  });
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
