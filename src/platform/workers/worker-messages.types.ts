import type { WorkerSeat } from '../config/config.types.js';

/** Messages from the supervisor to a worker. Other programs may send other messages on the same channel. */
export type ToWorker =
  | { readonly lintel: 'seat'; readonly seat: WorkerSeat }
  | { readonly lintel: 'question'; readonly id: number };

export type FromWorker =
  | { readonly lintel: 'seat' | 'ready' }
  | { readonly lintel: 'answer'; readonly id: number; readonly text: string };
