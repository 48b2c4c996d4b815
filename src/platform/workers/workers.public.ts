import cluster from 'node:cluster';
import type { WorkerSlot } from '../config/config.types.js';

/** Messages from the supervisor to a worker. Other programs may send other messages on the same channel. */
export type ToWorker =
  | { readonly lintel: 'seat'; readonly seat: WorkerSlot }
  | { readonly lintel: 'question'; readonly id: number };

export type FromWorker =
  | { readonly lintel: 'seat' | 'ready' }
  | { readonly lintel: 'answer'; readonly id: number; readonly text: string };

export function requestWorkerSlot(): Promise<WorkerSlot> {
  return new Promise((resolve) => {
    const receive = (message: unknown): void => {
      const received = message as Partial<ToWorker> | null;
      if (received?.lintel !== 'seat') return;
      process.off('message', receive);
      resolve((received as Extract<ToWorker, { lintel: 'seat' }>).seat);
    };
    process.on('message', receive);
    sendToSupervisor({ lintel: 'seat' });
  });
}

/** Reports to the supervisor that this process answers requests. After that, this process stops gracefully if the supervisor disappears. */
export function notifyReady(): void {
  sendToSupervisor({ lintel: 'ready' });
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
      (text) => sendToSupervisor({ lintel: 'answer', id, text }),
      () => undefined,
    );
  });
}

function sendToSupervisor(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
